//! Training data: rows of finished games, and their safetensors files. The same rows give the same bytes, which the
//! format's library does not guarantee, as its metadata have no order.

use super::table::Row;
use crate::{
    error::{Error, Result},
    rules::{Game, Outcome, Planes, Player, planes_of},
};
use safetensors::SafeTensors;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

const FORMAT: &str = "mcts-wgpu-data-1";

/// The name, type, shape and bytes of a tensor.
type Tensor<'a> = (&'a str, &'a str, &'a [usize], Cow<'a, [u8]>);

/// Rows in the order in which their games have ended.
#[derive(Debug, Default, PartialEq)]
pub struct Rows {
    planes: Vec<u8>,
    policy: Vec<u16>,
    outcome: Vec<u8>,
    game: Vec<u32>,
    ply: Vec<u16>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.ply.len()
    }

    /// The rows of a game that has ended, without their planes.
    pub fn of_game(number: u64, rows: &[Row], turns: impl Iterator<Item = Player>, result: Outcome) -> Self {
        Self {
            planes: Vec::new(),
            policy: rows.iter().flat_map(|row| &row.policy).copied().collect(),
            outcome: turns.map(|turn| (2.0 - 2.0 * result.points(turn)) as u8).collect(),
            game: vec![number as u32; rows.len()],
            ply: rows.iter().map(|row| row.ply).collect(),
        }
    }

    /// Adds the planes of the positions of rows that have none: `positions` are those of all these rows.
    ///
    /// # Errors
    /// Bad input if the game has no planes; the error of rules that run on a device.
    pub fn add_planes<G: Game>(&mut self, game: &G, positions: &[(G::State, Player)]) -> Result<()> {
        let planes = planes_of(game)?;
        for cells in game.batch_planes(positions).chunks_exact(planes.cells() as usize) {
            let plane = |plane: u32| cells.iter().map(move |cell| (cell >> plane & 1) as u8);
            self.planes.extend((0..planes.count).flat_map(plane));
        }
        game.rules_error().map_or(Ok(()), Err)
    }

    pub fn append(&mut self, mut other: Self) {
        self.planes.append(&mut other.planes);
        self.policy.append(&mut other.policy);
        self.outcome.append(&mut other.outcome);
        self.game.append(&mut other.game);
        self.ply.append(&mut other.ply);
    }

    /// The bytes of their file; `further`: names and values of metadata besides the format and the sizes.
    ///
    /// # Errors
    /// Bad input if the game has no planes.
    pub fn to_bytes<G: Game>(&self, game: &G, further: &[(&str, String)]) -> Result<Vec<u8>> {
        let Planes { rows, columns, count } = planes_of(game)?;
        let (n, actions) = (self.len(), game.max_actions());
        let sizes = [("rows", rows), ("columns", columns), ("planes", count), ("actions", actions)];
        let sizes = sizes.map(|(name, size)| (name, size.to_string()));
        let of_all = [("format", FORMAT.into()), ("game", game.name().into()), ("positions", n.to_string())];
        let metadata = of_all.into_iter().chain(sizes).chain(further.iter().cloned());
        let metadata: Map<String, Value> =
            metadata.map(|(name, value)| (name.into(), json!(value))).collect();
        let words = |words: &[u16]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        let numbers = self.game.iter().flat_map(|word| word.to_le_bytes()).collect();
        let board = [n, count as usize, rows as usize, columns as usize];
        // Wide types first, so that all are aligned.
        let tensors: [Tensor<'_>; 5] = [
            ("game", "U32", &[n], Cow::Owned(numbers)),
            ("policy", "U16", &[n, actions as usize], Cow::Owned(words(&self.policy))),
            ("ply", "U16", &[n], Cow::Owned(words(&self.ply))),
            ("outcome", "U8", &[n], Cow::Borrowed(&self.outcome)),
            ("planes", "U8", &board, Cow::Borrowed(&self.planes)),
        ];
        let (mut header, mut end) = (Map::new(), 0);
        header.insert("__metadata__".into(), json!(metadata));
        for (name, dtype, shape, data) in &tensors {
            let start = end;
            end += data.len();
            header.insert(
                (*name).into(),
                json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, end] }),
            );
        }
        let header = Value::Object(header).to_string();
        // With spaces, so that the tensors begin at a multiple of 8.
        let length = header.len().next_multiple_of(8);
        let mut bytes = (length as u64).to_le_bytes().to_vec();
        bytes.extend(format!("{header:length$}").as_bytes());
        tensors.iter().for_each(|(_, _, _, data)| bytes.extend(&**data));
        Ok(bytes)
    }

    /// Parses the bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// Bad input for other bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let file = SafeTensors::deserialize(bytes).map_err(Error::invalid)?;
        let tensor = |name: &str| file.tensor(name).map(|view| view.data()).map_err(Error::invalid);
        let words = |name: &str| {
            Ok::<Vec<u16>, Error>(
                tensor(name)?.as_chunks().0.iter().map(|&word| u16::from_le_bytes(word)).collect(),
            )
        };
        Ok(Self {
            planes: tensor("planes")?.to_vec(),
            policy: words("policy")?,
            outcome: tensor("outcome")?.to_vec(),
            game: tensor("game")?.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect(),
            ply: words("ply")?,
        })
    }
}
