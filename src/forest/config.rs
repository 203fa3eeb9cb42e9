//! The settings of a search: optional ones, as a user gives them, and resolved ones.

use super::{DrawValue, Schedule, Variant};
use crate::{
    error::{Error, Result},
    net::NetKernel,
    rules::RANDOM_POLICY,
};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// Greatest number of trees of one position.
pub const MAX_TREES: u32 = 1 << 16;
/// Greatest number of playouts per played-out node.
pub const MAX_PLAYOUTS: u32 = 512;
/// Greatest number of leaves of a step in a tree.
pub const MAX_LEAF_BATCH: u32 = 4096;
/// Greatest number of prior visits.
pub const MAX_PRIOR_VISITS: u32 = 4096;
/// Greatest weight of a rapid action value, in playouts.
pub const MAX_RAVE: u32 = 1 << 14;
/// Greatest number of moves that a root considers with Gumbel variables: 8 bits.
const MAX_GUMBEL: u32 = 255;
/// Greatest limit of memory, in GiB.
const MAX_MEMORY: f64 = 4096.0;

/// Declares [`Settings`] and [`Config`] from one list of fields. A field of the first part has a value in every search,
/// which is that after `=` in [`Config::paper`]; the text after it describes valid values, for errors. A field of the
/// second part may be unset in a [`Config`], too, and has a function that parses it. `also` is a field's former name,
/// `clap` are attributes of its option.
macro_rules! settings {
    (
        resolved {
            $(
                $(#[doc = $doc:literal])*
                $name:ident: $Type:ty = $paper:expr, $what:expr $(, also $also:literal)? $(, clap($($arg:tt)+))?;
            )+
        }
        open {
            $(
                $(#[doc = $open_doc:literal])*
                $open:ident: $Open:ty = $parse:expr $(, clap($($open_arg:tt)+))? $(, with $with:literal)?;
            )+
        }
    ) => {
        /// Settings of a search. The default of a setting depends on the game and the engine
        /// ([contests](crate::documentation::contests), "Defaults").
        ///
        /// Where the variant, the number of trees or of playouts, or the fused schedule is given, the other sizes
        /// default to the paper's: [`Variant::ACP_PRODIGAL`], 8 trees, 128 playouts, one leaf, no priors, no RAVE.
        ///
        /// The same settings are read from the options of the program, from the text of a player (`trees=4,rave=0`),
        /// from TOML and from JSON.
        ///
        /// ```
        /// use mcts_wgpu::{Settings, Variant};
        /// let settings = Settings { variant: Some(Variant::OCP_THRIFTY), seed: Some(7), ..Settings::default() };
        /// assert_eq!(serde_json::from_str(r#"{"variant": "ocp-thrifty", "seed": 7}"#).ok(), Some(settings));
        /// ```
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::Args))]
        #[serde(default, deny_unknown_fields)]
        pub struct Settings {
            $(
                $(#[doc = $doc])*
                #[cfg_attr(feature = "cli", arg(long $(, alias = $also)? $(, $($arg)+)?))]
                #[serde($(alias = $also, )? skip_serializing_if = "Option::is_none")]
                pub $name: Option<$Type>,
            )+
            $(
                $(#[doc = $open_doc])*
                #[cfg_attr(feature = "cli", arg(long $(, $($open_arg)+)?))]
                #[serde($(with = $with, )? skip_serializing_if = "Option::is_none")]
                pub $open: Option<$Open>,
            )+
            /// A network that evaluates the leaves instead of playouts: a FILE of safetensors, the NAME of one that
            /// comes with the program, or none [default: by game and engine]
            ///
            /// By default Connect 4 (6 x 7), Gomoku (15 x 15), Othello and Go (9 x 9, komi 5.5 to 9.5) have networks
            /// on one GPU and on the CPU engine, unless --variant, --trees, --playouts, --prior-visits, --rave,
            /// --policy or --schedule fused is given. A step selects a leaf batch by PUCT, with the constant C, and
            /// evaluates the leaves side by side; each counts as one playout (specification, "Searches with
            /// networks"). The variant is OCP, without playouts, prior visits or rapid action values.
            #[cfg_attr(feature = "cli", arg(long, value_name = "FILE|NAME"))]
            #[serde(skip_serializing_if = "Option::is_none")]
            pub net: Option<String>,
            /// The kernel that evaluates the network on a GPU: auto, tensor (cooperative matrices), dot (dot products
            /// of four bytes) or plain [default: auto]
            ///
            /// All have the same outputs; the CPU engine has its own.
            #[cfg_attr(feature = "cli", arg(long, value_name = "KERNEL"))]
            #[serde(skip_serializing_if = "Option::is_none")]
            pub net_kernel: Option<NetKernel>,
            /// The policy by which playouts draw moves: random, (connect4, go) tactical, (go) pattern3x3 or m2, or a
            /// FILE [default: by game and sizes]
            ///
            /// random draws all candidates with equal probability. In Connect 4, tactical wins at once if it can, else
            /// blocks a line, and else avoids cells below one that completes a line. In Go, the probability of a point
            /// is proportional to the rating of its neighbours: of all eight with pattern3x3, of the twelve within
            /// Manhattan distance 2 with m2; tactical is pattern3x3 with higher ratings of captures, rescues and
            /// replies to the last move. A FILE is a table of ratings, as `mcts-wgpu learn-patterns` writes it; give a
            /// file with the name of a policy with its folder, such as ./m2.
            #[cfg_attr(feature = "cli", arg(long))]
            #[serde(skip_serializing_if = "Option::is_none")]
            pub policy: Option<String>,
        }

        impl Settings {
            /// The names of the settings.
            pub const NAMES: &'static [&'static str] =
                &[$(stringify!($name),)+ $(stringify!($open),)+ "net", "net_kernel", "policy"];
            /// Former names of some settings, and their present names.
            pub const FORMER: &'static [(&'static str, &'static str)] =
                &[$($(($also, stringify!($name)),)?)+];

            /// The present name of a setting, given this or its former one.
            pub fn name_now(name: &str) -> &str {
                Self::FORMER.iter().find(|(former, _)| *former == name).map_or(name, |(_, now)| now)
            }

            /// These settings, with the others' values where a setting is not given.
            #[must_use]
            pub fn or(self, others: Self) -> Self {
                Self {
                    $($name: self.$name.or(others.$name),)+
                    $($open: self.$open.or(others.$open),)+
                    net: self.net.or(others.net),
                    net_kernel: self.net_kernel.or(others.net_kernel),
                    policy: self.policy.or(others.policy),
                }
            }

            /// Sets a setting by its name and the text of its value.
            ///
            /// # Errors
            /// Bad input for an unknown name or an invalid value.
            pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
                let name = Self::name_now(name);
                let bad = |why: &dyn Display| Error::invalid(format!("{name}={value}: {why}"));
                match name {
                    $(stringify!($name) => self.$name = Some(value.parse().map_err(|_| bad(&$what))?),)+
                    $(stringify!($open) => self.$open = Some(($parse)(value).map_err(|why| bad(&why))?),)+
                    "net" => self.net = Some(value.into()),
                    "net_kernel" => {
                        let what = "give auto, tensor, dot or plain";
                        self.net_kernel = Some(value.parse().map_err(|_| bad(&what))?);
                    }
                    "policy" => self.policy = Some(value.into()),
                    _ => return Err(Error::invalid(format!("there is no setting '{name}'"))),
                }
                Ok(())
            }

            /// All settings, with the defaults `usual` where a setting is not given.
            pub(crate) fn fill(&self, usual: Config) -> Config {
                Config {
                    $($name: self.$name.unwrap_or(usual.$name),)+
                    $($open: self.$open.or(usual.$open),)+
                }
            }
        }

        /// All settings of a search, resolved for its game and its engine ([`Settings`]).
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        pub struct Config {
            $($(#[doc = $doc])* pub $name: $Type,)+
            $($(#[doc = $open_doc])* #[serde($(with = $with, )? default)] pub $open: Option<$Open>,)+
        }

        impl Config {
            /// The sizes of the paper: [`Variant::ACP_PRODIGAL`], 8 trees, 128 playouts, one leaf, C = 2, no priors, no
            /// RAVE. Other settings have their defaults.
            pub fn paper() -> Self {
                Self { $($name: $paper,)+ $($open: None,)+ }
            }
        }

        impl From<Config> for Settings {
            fn from(config: Config) -> Self {
                let (net, net_kernel, policy) = (None, None, None);
                Self { $($name: Some(config.$name),)+ $($open: config.$open,)+ net, net_kernel, policy }
            }
        }
    };
}

const WHOLE: &str = "give a whole number";
const FLAG: &str = "give true or false";

settings! {
    resolved {
        /// ocp-thrifty, ocp-prodigal, acp-thrifty or acp-prodigal [default: ocp-prodigal]
        ///
        /// The children of an expanded node that are played out, and how the work is launched: OCP plays out one new
        /// child, ACP all of them (leaf parallelization); thrifty launches exactly the legal children, prodigal all.
        /// Where --variant, --trees, --playouts or --schedule fused is given, the others default to the paper's:
        /// acp-prodigal, 8, 128, one leaf, no priors and no rapid action values.
        variant: Variant = Variant::ACP_PRODIGAL, "give ocp-thrifty, ocp-prodigal, acp-thrifty or acp-prodigal";
        /// Independent trees of a position, 1 to 65536 (root parallelization) [default: by game and engine]
        trees: u32 = 8, WHOLE;
        /// Playouts per played-out node, a power of two from 1 to 512 (leaf parallelization) [default: by game and
        /// engine]
        playouts: u32 = 128, WHOLE;
        /// Leaf batch: leaves that a step selects and plays out in each tree, 1 to 4096 [default: by game and engine]
        ///
        /// They are selected one after another and played out side by side, so that one tree keeps a whole GPU busy
        /// (tree parallelization). A selection counts the pending playouts of earlier ones as visits without wins
        /// (virtual loss; specification, "Several leaves a step").
        leaf_batch: u32 = 1, WHOLE, also "leaves", clap(value_name = "K");
        /// C, the constant of UCB1: 0, or 2^-20 to 2^20 [default: by game]
        ucb_c: f32 = 2.0, "give a number, 0 or more", also "c", clap(value_name = "C");
        /// Count a draw as half a win, or as nothing: half or none [default: half]
        draw_value: DrawValue = DrawValue::Half, "give half (a draw is half a win) or none", also "draws";
        /// Prove wins, draws and losses (MCTS-Solver) [default: true]
        ///
        /// A node is proven if its outcome under best play is certain. No selection enters proven nodes, and a search
        /// ends once its root is proven. There are half proofs, too (specification, "Proofs").
        solver: bool = true, FLAG, also "proofs",
            clap(value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
        /// Leave moves that need no search out of the trees: true or false [default: true]
        ///
        /// In Go moves into an own one-point eye; in Connect 4 and Gomoku all moves that neither win at once nor reply
        /// to a threat, where there is such a move (decisive and anti-decisive moves); in Gomoku cells far from all
        /// stones. Other games keep all legal moves. Playouts do not change.
        pruning: bool = true, FLAG, also "prunes",
            clap(value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
        /// Weight of the prior of a move in a new node, in visits, 0 to 4096 [default: by game and engine]
        ///
        /// These visits count in n and n_wins of that node only. Go has priors for captures, moves out of atari and
        /// into it, 3x3 patterns and points near the last move; in other games all priors are equal. Needs staged
        /// steps.
        prior_visits: u32 = 0, WHOLE, also "knowledge", clap(value_name = "N");
        /// Greatest weight of a rapid action value (RAVE), in playouts, 0 (none) to 16384 [default: by game and engine]
        ///
        /// The value of a move then includes playouts in which the same player made it later (all moves as first). Only
        /// Go has such values, with ocp-prodigal or ocp-thrifty and staged steps (specification, "Rapid action
        /// values").
        rave: u32 = 0, WHOLE, clap(value_name = "N");
        /// Share of noise in the priors of the root, 0 (none) to 1, in searches with a network [default: 0]
        ///
        /// AlphaZero has 0.25 of Dirichlet noise in self-play. This noise is similar: u^(1 / alpha) over the sum of all
        /// moves', with alpha = 10 / the number of moves (specification, "Exploration at the root"). Each run draws new
        /// noise.
        root_noise: f32 = 0.0, "give a number from 0 to 1", clap(value_name = "SHARE", hide_short_help = true);
        /// Moves that the root considers by Gumbel variables and sequential halving, 2 to 255, or 0 (none), in searches
        /// with a network [default: 0]
        ///
        /// Replaces PUCT at the root (Danihelka et al. 2022), which suits few visits. The report has the improved
        /// policy of that paper.
        gumbel: u32 = 0, WHOLE, clap(value_name = "M", hide_short_help = true);
        /// Visits shared by the moves considered by Gumbel [default: 64]
        ///
        /// Further visits go to the last two moves.
        gumbel_visits: u32 = 64, WHOLE, clap(value_name = "N", hide_short_help = true);
        /// Weight of a playout in the value of a leaf that a network evaluates, 0 (none) to 1 [default: 0]
        ///
        /// Each leaf then has one playout, as in AlphaGo, whose weight was 0.5.
        playout_weight: f32 = 0.0, "give a number from 0 to 1", clap(value_name = "WEIGHT", hide_short_help = true);
        /// Seed of the random streams [default: 0]
        seed: u64 = 0, "give a whole number from 0 to 2^64 - 1";
        /// How a step is dispatched to a GPU: staged (select, expand, playout and backup one after another), fused
        /// (together), or auto [default: auto]
        ///
        /// The result is the same.
        schedule: Schedule = Schedule::Auto, "give auto, staged or fused", clap(hide_short_help = true);
        /// Tree reuse: a search continues with the subtree below the moves made since the last search [default: false]
        ///
        /// Batches of positions never reuse trees. Without reuse a result depends only on its position and on the state
        /// of the random streams.
        reuse: bool = false, FLAG,
            clap(value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true");
    }
    open {
        /// Memory for the trees on every adapter, in GiB (in bytes in the library) [default: what the time can fill, up
        /// to 2]
        ///
        /// The default is limited to trees that can be searched at full speed. Memory is allocated on demand. Trees
        /// that exceed one binding (3 GiB on most adapters) are searched in chunks, one after another. On the CPU
        /// engine and on software adapters the default is at most half of a container's limit.
        memory: u64 = gib::parse, clap(value_name = "GIB", value_parser = gib::parse), with "gib";
        /// Nodes of a tree, at most [default: as many as the memory holds]
        node_limit: u32 = |text: &str| text.parse().map_err(|_| WHOLE), clap(value_name = "N", hide_short_help = true);
    }
}

/// Numbers of bytes, written and read as GiB.
pub mod gib {
    use super::MAX_MEMORY;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    const BYTES: f64 = (1u64 << 30) as f64;

    fn bytes(gib: f64) -> Result<u64, String> {
        let valid = gib > 0.0 && gib <= MAX_MEMORY;
        valid.then_some((gib * BYTES) as u64).ok_or_else(wrong)
    }

    fn wrong() -> String {
        format!("give a positive number of GiB up to {MAX_MEMORY}")
    }

    /// Parses a number of GiB; returns bytes.
    ///
    /// # Errors
    /// A message, if the text is not such a number.
    pub fn parse(text: &str) -> Result<u64, String> {
        bytes(text.parse().map_err(|_| wrong())?)
    }

    pub(super) fn serialize<S: Serializer>(memory: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
        memory.map(|bytes| bytes as f64 / BYTES).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<u64>, D::Error> {
        Option::<f64>::deserialize(from)?.map(bytes).transpose().map_err(D::Error::custom)
    }
}

impl Settings {
    /// The semantics and the sizes of the original program: [`Config::original`] with random playouts.
    pub fn original() -> Self {
        let policy = Some(RANDOM_POLICY.into());
        Self { policy, seed: None, schedule: None, reuse: None, ..Config::original().into() }
    }
}

impl Config {
    /// [`paper`](Self::paper) with the semantics of the original program: draws count nothing, nothing is proven, and
    /// the trees have all legal moves.
    pub fn original() -> Self {
        Self { draw_value: DrawValue::None, solver: false, pruning: false, ..Self::paper() }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Bad input, naming the field and its range.
    pub fn validate(&self) -> Result<()> {
        self.check_ranges()?;
        if self.rave > 0 && self.variant.all_children {
            return Err(Error::invalid(
                "ACP has no rapid action values: choose ocp-prodigal or ocp-thrifty, or rave 0",
            ));
        }
        self.check_root()?;
        self.check_schedule()
    }

    /// Checks each field's own range.
    pub(crate) fn check_ranges(&self) -> Result<()> {
        let bad = |message: String| Err(Error::invalid(message));
        let Self { trees, playouts, leaf_batch, ucb_c: c, prior_visits, rave, .. } = *self;
        if !(1..=MAX_TREES).contains(&trees) {
            return bad(format!("{trees} trees: give a number from 1 to {MAX_TREES}"));
        }
        if !playouts.is_power_of_two() || playouts > MAX_PLAYOUTS {
            return bad(format!("{playouts} playouts: give a power of two from 1 to {MAX_PLAYOUTS}"));
        }
        if !(1..=MAX_LEAF_BATCH).contains(&leaf_batch) {
            return bad(format!("a leaf batch of {leaf_batch}: give a number from 1 to {MAX_LEAF_BATCH}"));
        }
        if prior_visits > MAX_PRIOR_VISITS {
            return bad(format!("{prior_visits} prior visits: give a number from 0 to {MAX_PRIOR_VISITS}"));
        }
        if rave > MAX_RAVE {
            return bad(format!("rave {rave}: give a number from 0 to {MAX_RAVE}"));
        }
        if c != 0.0 && !(2f32.powi(-20)..=2f32.powi(20)).contains(&c) {
            return bad(format!("UCB constant {c}: give 0 or a number from 0.000001 to 1000000"));
        }
        if self.memory == Some(0) {
            return bad("no memory: give the search some, such as 2 GiB".into());
        }
        self.check_ranges_of_networks()
    }

    fn check_ranges_of_networks(&self) -> Result<()> {
        let bad = |message: String| Err(Error::invalid(message));
        let &Self { root_noise, gumbel, gumbel_visits, playout_weight, .. } = self;
        for (name, share) in [("root noise", root_noise), ("playout weight", playout_weight)] {
            if !(0.0..=1.0).contains(&share) {
                return bad(format!("a {name} of {share}: give a number from 0 to 1"));
            }
        }
        if gumbel == 1 || gumbel > MAX_GUMBEL {
            return bad(format!(
                "{gumbel} moves considered by Gumbel: give 0, or a number from 2 to {MAX_GUMBEL}"
            ));
        }
        if gumbel_visits == 0 {
            return bad("0 visits for the moves considered by Gumbel: give 1 or more".into());
        }
        Ok(())
    }

    /// Checks the settings of exploration at the root, which need a network.
    fn check_root(&self) -> Result<()> {
        let bad = |message: String| Err(Error::invalid(message));
        let &Self { root_noise, gumbel, trees, reuse, .. } = self;
        if gumbel > 0 && root_noise > 0.0 {
            return bad(
                "Gumbel variables are noise at the root already: give root noise 0, or gumbel 0".into()
            );
        }
        if gumbel > 0 && trees > 1 {
            return bad(format!("{trees} trees, and moves considered by Gumbel: give 1 tree, or gumbel 0"));
        }
        if reuse && gumbel > 0 {
            return bad("sequential halving begins with a new tree: choose reuse=false, or gumbel 0".into());
        }
        Ok(())
    }

    /// The fused kernels have one leaf a tree, and neither priors nor rapid action values.
    fn check_schedule(&self) -> Result<()> {
        let of_staged_alone = [
            (self.leaf_batch > 1, "plays out one leaf a step", "a leaf batch of 1"),
            (self.prior_visits > 0, "has no priors", "0 prior visits"),
            (self.rave > 0, "has no rapid action values", "rave 0"),
        ];
        let wanted = of_staged_alone.iter().find(|(wanted, ..)| *wanted && self.schedule == Schedule::Fused);
        wanted.map_or(Ok(()), |(_, fused, instead)| {
            Err(Error::invalid(format!("the fused schedule {fused}: choose the staged one, or {instead}")))
        })
    }

    /// Whether steps are staged with any schedule.
    pub(crate) fn is_staged(&self) -> bool {
        self.has_leaves() || self.prior_visits > 0
    }

    /// Whether each leaf of a step has its own header: with several leaves per tree, or rapid action values.
    pub(crate) fn has_leaves(&self) -> bool {
        self.leaf_batch > 1 || self.rave > 0
    }
}
