//! The compiled kernels of a search on one device.

use crate::{
    device::{
        Device,
        extras::{Extra, Extras},
        kernels::Kernels,
    },
    error::Result,
    forest::{Shape, variant::Schedule},
    gpu::{
        fused::{Fit, Fused},
        network::{DeviceNetwork, takes_matrices},
        shaders::{
            CREDIT, FRAME, LEAVES, NET, STAGED, WITHDRAW, WITHDRAW_LEAVES, Widths, group_games,
            sharing_subgroup, staged_module,
        },
    },
    host::both,
    net::LeafEvaluation,
    rules::GameShader,
};
use std::sync::Arc;

/// The kernels of a schedule, except those of fused steps.
fn names(shape: &Shape, schedule: Schedule) -> Vec<&'static str> {
    let mut names = FRAME.to_vec();
    match schedule {
        Schedule::Fused => {}
        _ if shape.has_leaves() => {
            let left_out = |name: &str| match name {
                "count_jobs" => shape.evaluation.is_some(),
                "playout" => !shape.has_playouts(),
                _ => false,
            };
            names.extend(LEAVES.iter().filter(|name| !left_out(name)));
            names.extend((shape.config.rave > 0).then_some(CREDIT));
            names.extend(shape.evaluation.iter().flat_map(|_| NET));
        }
        _ => names.extend(STAGED),
    }
    names.push(withdraw(shape));
    names
}

/// The kernel that undoes a step.
pub(super) fn withdraw(shape: &Shape) -> &'static str {
    if shape.has_leaves() { WITHDRAW_LEAVES } else { WITHDRAW }
}

/// The extras that the kernels of a schedule use on a device.
fn extras(device: &Device, shape: &Shape, schedule: Schedule) -> Extras {
    Extras {
        matrices: takes_matrices(shape, device.machine()),
        arrays: device.segments().is_some(),
        subgroups: sharing_subgroup(shape, device.machine()) > 0 || takes_matrices(shape, device.machine()),
        fused: schedule != Schedule::Staged && !shape.is_staged(),
    }
}

/// The compiled kernels of a search on one device.
#[derive(Debug)]
pub struct Program {
    device: Device,
    pub(super) kernels: Kernels,
    pub(super) names: Vec<&'static str>,
    pub(super) fused: Option<Fused>,
    /// The sizes that the fused kernels depend on.
    fit: Fit,
    pub(super) widths: Widths,
    /// Tables of the game, if it has any.
    pub(super) tables: Option<wgpu::Buffer>,
    pub(super) net: Option<DeviceNetwork>,
    /// Extras that were left out, since the driver refused kernels with them.
    left_out: Vec<Extra>,
}

impl Program {
    /// Compiles the kernels of a schedule, for a game and a shape. The capacity of the shape has no effect; its number
    /// of trees affects the speed only. `Auto` compiles the kernels of both schedules.
    ///
    /// # Errors
    /// Shader, if a kernel does not compile or does not fit the device.
    pub async fn compile(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        schedule: Schedule,
    ) -> Result<Arc<Self>> {
        Self::compile_once(device, game, shape, schedule).await.map(Arc::new)
    }

    async fn compile_once(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        schedule: Schedule,
    ) -> Result<Self> {
        let schedule = if shape.is_staged() { Schedule::Staged } else { schedule };
        let (names, fit) = (names(shape, schedule), Fit::of(device, game, shape));
        let tables = device.tables(&game.tables).await?;
        let (staged, fused) = both(
            async || {
                let (widths, module) = staged_module(game, shape, device.machine())?;
                Ok((widths, Kernels::compile(device, &module, &names).await?))
            },
            async || match schedule {
                Schedule::Staged => Ok(None),
                _ => Fused::compile(device, game, shape, fit).await.map(Some),
            },
        )
        .await;
        let (widths, kernels) = staged.map_err(|error| device.cause_of(error))?;
        let fused = fused.map_err(|error| device.cause_of(error))?;
        let net = match &shape.evaluation {
            Some(LeafEvaluation::Network(net, kernel)) => {
                Some(DeviceNetwork::new(device, game, shape, (net, *kernel)).await?)
            }
            _ => None,
        };
        let left_out = Vec::new();
        let boards = net.as_ref().map_or(1, |net| net.boards);
        let widths = Widths { boards, ..widths };
        Ok(Self { device: device.clone(), kernels, names, fused, fit, widths, tables, net, left_out })
    }

    /// [`compile`](Self::compile) with as many extras as the driver accepts. If a refusal loses the device, its
    /// replacement compiles the rest.
    ///
    /// # Errors
    /// See [`compile`](Self::compile); refused, if the driver refuses the kernels without extras.
    pub(crate) async fn compile_as_taken(
        device: &Device,
        game: &GameShader,
        shape: &Shape,
        schedule: Schedule,
    ) -> Result<Arc<Self>> {
        let mut extras = extras(device, shape, schedule);
        let mut left_out = Vec::new();
        loop {
            let device = device.live().await?.with_extras(extras);
            let schedule = if extras.fused { schedule } else { Schedule::Staged };
            match Self::compile_once(&device, game, shape, schedule).await {
                Ok(program) => return Ok(Arc::new(Self { left_out, ..program })),
                Err(error) => {
                    let (extra, plainer) = device.step_down(extras, error)?;
                    left_out.push(extra);
                    extras = plainer;
                }
            }
        }
    }

    /// The extras that its kernels use.
    pub(crate) fn extras(&self, shape: &Shape) -> Extras {
        extras(&self.device, shape, self.schedule())
    }

    /// Extras that were left out, since the driver refused kernels with them.
    pub(crate) fn left_out(&self) -> &[Extra] {
        &self.left_out
    }

    /// The schedule of its steps.
    pub fn schedule(&self) -> Schedule {
        if self.fused.is_some() { Schedule::Fused } else { Schedule::Staged }
    }

    /// Whether the kernels would be the same for this shape, which differs from its own in the number of trees only.
    pub fn suits(&self, game: &GameShader, shape: &Shape) -> bool {
        let games = group_games(game, shape, self.widths.playout, self.device.info().is_software());
        games == self.widths.games && (self.fused.is_none() || Fit::of(&self.device, game, shape) == self.fit)
    }

    /// Whether steps of this schedule can be cut into slices.
    pub fn cuts_steps(&self, schedule: Schedule) -> bool {
        schedule != Schedule::Fused || !matches!(self.fused, Some(Fused::Whole { .. }))
    }

    /// Games per workgroup of the playouts.
    pub fn group_games(&self) -> u32 {
        self.widths.games
    }

    /// The number of tallies of a node, each of a part of its playouts.
    pub fn parts(&self, playouts: u32) -> u32 {
        self.widths.parts(playouts)
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }
}
