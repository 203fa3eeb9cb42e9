//! Files of positions: the outputs that a trainer compares its own with.

use super::{network, path};
use crate::support::{
    networks::{bits, file_of},
    prelude::*,
};
use safetensors::{Dtype, SafeTensors};

const U8: Dtype = Dtype::U8;

/// The outputs of a file, and their shape.
fn outputs(file: &[u8]) -> (Vec<usize>, Vec<i32>) {
    let tensors = SafeTensors::deserialize(file).expect("a file of safetensors");
    let outputs = tensors.tensor("outputs").expect("it is there");
    assert_eq!(outputs.dtype(), Dtype::I32);
    let words = outputs.data().as_chunks().0;
    (outputs.shape().to_vec(), words.iter().map(|&word| i32::from_le_bytes(word)).collect())
}

#[test]
fn positions_of_a_file_have_the_outputs_of_their_boards() {
    for (name, flat) in
        [("conv-1x16", false), ("conv-2x32", false), ("dense-1x32", false), ("dense-1x32", true)]
    {
        let network = Network::read(&path(&format!("{name}.safetensors"))).expect("a network");
        let sizes = network.sizes();
        // More positions than the network evaluates at a time.
        let count = 150;
        let boards: Vec<u32> = (0..count * sizes.cells())
            .map(|cell| cell.wrapping_mul(0x9e37_79b9) >> (32 - sizes.planes))
            .collect();
        let mut expected = vec![0; count as usize * (sizes.actions as usize + 3)];
        network.evaluate(&boards, &mut expected);
        let [planes, rows, columns] = [sizes.planes, sizes.rows, sizes.columns].map(|size| size as usize);
        let board = if flat { vec![planes * rows * columns] } else { vec![planes, rows, columns] };
        let shape = [&[count as usize][..], &board].concat();
        let file = file_of("planes", U8, &shape, &bits(&boards, sizes));
        let found = network.evaluate_file(&file).expect("it has planes");
        assert_eq!(outputs(&found), (vec![count as usize, sizes.actions as usize + 3], expected), "{name}");
    }
}

#[test]
fn a_file_without_positions_has_no_outputs() {
    let file = file_of("planes", U8, &[0, 3, 4, 5], &[]);
    let found = network(Trunk::Conv).evaluate_file(&file).expect("it has planes");
    assert_eq!(outputs(&found), (vec![0, 8], vec![]));
}

#[test]
fn other_tensors_than_planes_are_refused() {
    let mut two = [0; 2 * 60];
    two[60] = 2;
    for (file, what) in [
        (b"nothing".to_vec(), "it is not a safetensors file"),
        (file_of("policy", U8, &[1, 3, 4, 5], &[0; 60]), "tensor planes: it is missing: add it"),
        (file_of("planes", Dtype::I8, &[1, 3, 4, 5], &[0; 60]), "it is of type I8: make it U8"),
        (
            file_of("planes", U8, &[1, 4, 3, 5], &[0; 60]),
            "tensor planes: its shape is [1, 4, 3, 5]: the network random-7 needs [n, 3, 4, 5]",
        ),
        (file_of("planes", U8, &[1, 60], &[0; 60]), "its shape is [1, 60]"),
        (file_of("planes", U8, &[], &[0]), "its shape is []"),
        (
            file_of("planes", U8, &[2, 3, 4, 5], &two),
            "tensor planes, position 1: a value of 2: planes are 0 or 1",
        ),
    ] {
        assert_bad(network(Trunk::Conv).evaluate_file(&file), what);
    }
}
