//! The game's shaders, composed of the files in `games/go`.

use super::{Go, MAX_WORDS, policy::Policy, tactics, word_of};
use crate::rules::{GameShader, GroupShader};

/// The names of the shader's constants, one for each 32-bit word of a plane.
const BOARD_NAMES: [&str; 2 * MAX_WORDS] = [
    "GO_BOARD_0",
    "GO_BOARD_1",
    "GO_BOARD_2",
    "GO_BOARD_3",
    "GO_BOARD_4",
    "GO_BOARD_5",
    "GO_BOARD_6",
    "GO_BOARD_7",
    "GO_BOARD_8",
    "GO_BOARD_9",
    "GO_BOARD_10",
    "GO_BOARD_11",
];
const EDGE_NAMES: [&str; 2 * MAX_WORDS] = [
    "GO_EDGE_0",
    "GO_EDGE_1",
    "GO_EDGE_2",
    "GO_EDGE_3",
    "GO_EDGE_4",
    "GO_EDGE_5",
    "GO_EDGE_6",
    "GO_EDGE_7",
    "GO_EDGE_8",
    "GO_EDGE_9",
    "GO_EDGE_10",
    "GO_EDGE_11",
];

/// A file of the rules and its text.
macro_rules! part {
    ($file:literal) => {
        (concat!("games/go/", $file).into(), include_str!(concat!("../../../games/go/", $file)).into())
    };
}

impl Go {
    /// The rules, the priors, and the playouts of the policy.
    pub(super) fn composed_shader(&self) -> GameShader {
        let mut constants = vec![
            ("GO_ROWS", self.rows),
            ("GO_COLUMNS", self.columns),
            ("GO_WORDS", self.plane_words() as u32),
            ("GO_MAX_MOVES", self.max_moves),
            ("GO_TWICE_KOMI", self.twice_komi as u32),
        ];
        for i in 0..2 * MAX_WORDS {
            constants.push((BOARD_NAMES[i], word_of(&self.grid.board, i)));
            constants.push((EDGE_NAMES[i], word_of(&self.grid.edge, i)));
        }
        let source = include_str!("../../../games/go/rules.wgsl");
        let mut rules = GameShader::new("games/go/rules.wgsl", source, constants, 0);
        let ratings = self.known_ratings();
        rules.constants.push(("GO_NEIGHBOURS", ratings.shape().bits() / 2));
        let tables = ratings.words().clone();
        let rules = GameShader { has_urgency: true, has_priors: true, has_planes: true, tables, ..rules };
        match self.policy_of_patterns() {
            None => self.random_shader(rules),
            Some(policy) => self.patterns_shader(policy, rules),
        }
    }

    /// The rules with uniform playouts.
    fn random_shader(&self, rules: GameShader) -> GameShader {
        let group = vec![part!("group.wgsl"), part!("group_random.wgsl")];
        let group = Some(self.group_shader(group));
        let parts = vec![
            part!("ratings.wgsl"),
            part!("prior.wgsl"),
            part!("planes.wgsl"),
            part!("firsts.wgsl"),
            part!("random.wgsl"),
            part!("playout_ends.wgsl"),
            part!("owners.wgsl"),
        ];
        GameShader { parts, group, ..rules }
    }

    /// The rules with playouts by patterns, which update a plane and sums of ratings by spans (a row, or half of one on
    /// wide boards).
    fn patterns_shader(&self, policy: &Policy, mut rules: GameShader) -> GameShader {
        let times = if policy.is_tactical { [tactics::ANSWER_TIMES, tactics::URGENT_TIMES] } else { [1, 0] };
        rules.constants.extend(["GO_ANSWER_TIMES", "GO_URGENT_TIMES"].into_iter().zip(times));
        let group = vec![part!("ratings.wgsl"), part!("group.wgsl"), part!("group_patterns.wgsl")];
        GameShader {
            parts: vec![
                part!("ratings.wgsl"),
                part!("prior.wgsl"),
                part!("planes.wgsl"),
                part!("firsts.wgsl"),
                part!("patterns.wgsl"),
                part!("tactics.wgsl"),
                part!("playout_ends.wgsl"),
                part!("owners.wgsl"),
            ],
            playout_words: self.rows * if self.columns > 16 { 2 } else { 1 } + self.plane_words() as u32,
            ply_iterations: 32 + self.rows + self.columns,
            weighted: true,
            stores_playouts: true,
            // NVIDIA H200, 3 x 3, M games/s apart and in step: 9 x 9 51.6 and 49.1, 19 x 19 3.0 and 3.8.
            in_step: self.plane_words() > 4,
            // A workgroup that plays one game does not update the stones in atari.
            group: (!policy.is_tactical).then(|| self.group_shader(group)),
            ..rules
        }
    }

    fn group_shader(&self, parts: Vec<(String, String)>) -> GroupShader {
        // Three points a lane. NVIDIA H200, random play, games/s with 32, 64, 128 and 256 lanes: 9 x 9 7.6, 5.6, 5.0
        // and 2.9 M, 13 x 13 1.5, 2.0, 1.6 and 1.1 M, 19 x 19 170, 321, 434 and 343 k.
        let lanes = self.pass().div_ceil(3).next_power_of_two().clamp(32, 256);
        let points = self.pass().div_ceil(lanes);
        GroupShader { parts, lanes, ply_iterations: 16 + 10 * points }
    }
}
