#!/usr/bin/env bash
# Plays games of GNU Go against itself, and prints them as SGF, one game per line.
#
#   games/go/self-play.sh SIZE FIRST LAST [LEVEL]     board size, first and last seed, GNU Go's level (default 1)
#
# A seed determines a game: its opening, 0, 2 or 4 random stones (up to 12 on 19 x 19) as setup, so that games differ;
# and GNU Go's random numbers. Two passes or 3 SIZE^2 moves end a game.
set -euo pipefail
(($# == 3 || $# == 4)) || { echo "usage: $0 SIZE FIRST LAST [LEVEL]" >&2; exit 2; }
size=$1 first=$2 last=$3 level=${4:-1}
gnugo=${GNUGO:-$(PATH=$PATH:/usr/games command -v gnugo)} || { echo "install gnugo first" >&2; exit 2; }
letters=abcdefghijklmnopqrs columns=ABCDEFGHJKLMNOPQRST

# Sets `draw` to a number below $1: a linear congruential generator, the same with every version of the shell.
below() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    draw=$(((state >> 8) % $1))
}

# Sends a command, and sets `answer` to the answer.
ask() {
    echo "$1" >&"${engine[1]}"
    read -r answer <&"${engine[0]}"
    read -r _ <&"${engine[0]}"
    [[ $answer == =* ]] || { echo "gnugo said '$answer' to '$1'" >&2; exit 1; }
    answer=${answer#= }
}

# Sets `opening` to the points, "row column", of random stones, no two of them side by side.
draw_opening() {
    opening=()
    below 3
    local stones=$((2 * draw * (size / 6))) row column other
    while ((${#opening[@]} < stones)); do
        below "$size"; row=$draw
        below "$size"; column=$draw
        for other in "${opening[@]}"; do
            local r=$((row - ${other% *})) c=$((column - ${other#* }))
            ((r * r + c * c <= 1)) && continue 2
        done
        opening+=("$row $column")
    done
}

play_game() {
    local seed=$1 game point row column colour=B black="" white="" passes=0 moves=0
    state=$((seed * 7919 + size))
    draw_opening
    coproc engine { exec "$gnugo" --mode gtp --boardsize "$size" --komi 7.5 --chinese-rules --never-resign \
        --level "$level" --seed "$((seed + 1))" 2>/dev/null; }
    for point in "${opening[@]}"; do
        row=${point% *} column=${point#* }
        ask "play $colour ${columns:column:1}$((row + 1))"
        point="[${letters:column:1}${letters:size - 1 - row:1}]"
        if [[ $colour == B ]]; then black+=$point colour=W; else white+=$point colour=B; fi
    done
    game="(;GM[1]FF[4]SZ[$size]KM[7.5]RU[Chinese]PB[GNU Go 3.8]PW[GNU Go 3.8]GN[$size-$seed]"
    game+="${black:+AB$black}${white:+AW$white}"
    while ((passes < 2 && moves < 3 * size * size)); do
        ask "genmove $colour"
        if [[ $answer == PASS ]]; then
            game+=";$colour[]"
            passes=$((passes + 1))
        else
            column=${columns%%"${answer:0:1}"*} row=$((${answer:1} - 1))
            game+=";$colour[${letters:${#column}:1}${letters:size - 1 - row:1}]"
            passes=0
        fi
        moves=$((moves + 1))
        if [[ $colour == B ]]; then colour=W; else colour=B; fi
    done
    ask quit
    wait "$engine_PID" 2>/dev/null || true
    echo "$game)"
}

for ((seed = first; seed <= last; seed++)); do
    play_game "$seed"
done
