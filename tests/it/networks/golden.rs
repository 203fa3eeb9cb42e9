//! Outputs that `tests/networks/golden.py` has computed with numpy, from the specification alone.

use super::path;
use crate::support::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    digest: String,
    boards: Vec<Vec<u32>>,
    outputs: Vec<Vec<i32>>,
}

#[test]
fn networks_equal_numpy() {
    let text = fs::read_to_string(path("golden.json")).expect("the file is there");
    let golden: BTreeMap<String, Golden> = serde_json::from_str(&text).expect("golden.py has written it");
    assert_eq!(golden.len(), 3);
    for (name, Golden { digest, boards, outputs: expected }) in golden {
        let network = Network::read(&path(&format!("{name}.safetensors"))).expect("a network");
        assert_eq!(format!("{:016x}", network.digest()), digest, "{name}");
        let expected = expected.concat();
        let mut outputs = vec![0; expected.len()];
        network.evaluate(&boards.concat(), &mut outputs);
        assert_eq!(outputs, expected, "{name}");
    }
}
