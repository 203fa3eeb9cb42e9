"""Simulations a second of this program and of its peers, on the same machine and in one run.

    pip install mctx pgx open_spiel          # and jax: "jax[cuda13]" on a GPU of NVIDIA's
    python benches/peers/peers.py mctx       # batches of roots: mctx over pgx's games, on the device that JAX has
    python benches/peers/peers.py openspiel  # one root: OpenSpiel's MCTS on one core

A simulation goes down a tree to a new leaf and judges it by one random game to its end. Here it is a step of one tree
of `--variant ocp-prodigal --playouts 1`. Compiling is not counted on either side; the best of three runs is.
"""

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
import time

RUNS = 3
EXPLORATION = 1.25
# Names here, in pgx, and in OpenSpiel.
GAMES = {
    "connect4": (["connect4"], "connect_four", "connect_four"),
    "othello": (["othello"], "othello", "othello"),
    "go": (["go", "--size", "9", "--komi", "7.5"], "go_9x9", "go(board_size=9,komi=7.5)"),
}


def best_rate(count, run):
    """The greatest number of `count` a second, after a run that is not counted."""
    run()
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return count / min(seconds)


def here(program, game, roots, steps, adapter, threads=None):
    """Steps of trees a second of this program, and the name of its adapter."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as positions:
        positions.write("\n" * roots)
        positions.flush()
        command = [program, "search", *GAMES[game][0], "--positions", positions.name, "--adapter", adapter]
        command += ["--variant", "ocp-prodigal", "--trees", "1", "--playouts", "1", "--ucb-c", str(EXPLORATION)]
        command += ["--steps", str(steps), "--json"]
        environment = os.environ | ({"RAYON_NUM_THREADS": str(threads)} if threads else {})
        rates = []
        for _ in range(RUNS):
            done = subprocess.run(command, capture_output=True, env=environment, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}: {done.stderr}")
            report = json.loads(done.stdout)[0]
            rates.append(report["performance"]["steps_per_second"] * roots)
    return max(rates), report["engine"]["adapter"]


def mctx_search(name, roots, simulations):
    """A batch of searches by mctx of pgx's game, and the name of the device."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    env = pgx.make(name)

    def playout(key, state):
        me = state.current_player

        def body(carry):
            key, state = carry
            key, draw = jax.random.split(key)
            action = jax.random.categorical(draw, jnp.where(state.legal_action_mask, 0.0, -1e9))
            return key, env.step(state, action)

        _, last = jax.lax.while_loop(lambda carry: ~carry[1].terminated, body, (key, state))
        return last.rewards[me]

    def logits(state):
        return jnp.where(state.legal_action_mask, 0.0, -1e9)

    def recurrent(_, key, action, state):
        before = state.current_player
        state = jax.vmap(env.step)(state, action)
        value = jax.vmap(playout)(jax.random.split(key, roots), state)
        output = mctx.RecurrentFnOutput(
            reward=state.rewards[jnp.arange(roots), before],
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=logits(state),
            value=jnp.where(state.terminated, 0.0, value),
        )
        return output, state

    @jax.jit
    def search(key, state):
        of_root, of_search = jax.random.split(key)
        value = jax.vmap(playout)(jax.random.split(of_root, roots), state)
        root = mctx.RootFnOutput(prior_logits=logits(state), value=value, embedding=state)
        transform = functools.partial(mctx.qtransform_by_min_max, min_value=-1, max_value=1)
        invalid = ~state.legal_action_mask
        policy = functools.partial(mctx.muzero_policy, dirichlet_fraction=0.0, qtransform=transform)
        return policy(None, of_search, root, recurrent, simulations, invalid_actions=invalid).action_weights

    state = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), roots))
    keys = iter(range(1, RUNS + 2))
    return lambda: search(jax.random.PRNGKey(next(keys)), state).block_until_ready(), str(jax.devices()[0])


def openspiel_search(name, simulations):
    """A search by OpenSpiel's MCTS, which is written in C++."""
    import pyspiel

    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, simulations, 1000, False, 7, False)
    return lambda: bot.step(state)


def row(*cells):
    print("|", " | ".join(cells), "|", flush=True)


def with_mctx(options):
    row("game", "roots", "simulations", "mctx", "here", "times")
    row(*["---"] * 6)
    for game in options.games:
        for roots in options.roots:
            run, device = mctx_search(GAMES[game][1], roots, options.simulations)
            peer = best_rate(roots * options.simulations, run)
            ours, adapter = here(options.program, game, roots, options.simulations, options.adapter)
            row(game, f"{roots:,}", str(options.simulations), f"{peer:,.0f}", f"{ours:,.0f}", f"{ours / peer:.1f}")
    print(f"mctx: {device}; here: {adapter}")


def with_openspiel(options):
    row("game", "simulations", "OpenSpiel", "here", "times")
    row(*["---"] * 5)
    for game in options.games:
        peer = best_rate(options.simulations, openspiel_search(GAMES[game][2], options.simulations))
        ours, adapter = here(options.program, game, 1, options.simulations, "cpu", threads=1)
        row(game, str(options.simulations), f"{peer:,.0f}", f"{ours:,.0f}", f"{ours / peer:.1f}")
    print(f"one core; here: {adapter}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["mctx", "openspiel"])
    parser.add_argument("--program", default="target/release/mcts-wgpu")
    parser.add_argument("--adapter", default="auto", help="this program's, beside mctx")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--roots", nargs="+", type=int, default=[1024, 8192])
    parser.add_argument("--simulations", type=int, help="of each root: 64, beside OpenSpiel 10,000")
    options = parser.parse_args()
    if options.peer == "mctx":
        options.simulations = options.simulations or 64
        with_mctx(options)
    else:
        options.simulations = options.simulations or 10_000
        with_openspiel(options)


if __name__ == "__main__":
    main()
