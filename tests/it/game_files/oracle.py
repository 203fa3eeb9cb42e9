#!/usr/bin/env python3
"""A second set of rules for the games in games/*.wgsl, and what they count.

    python3 tests/it/game_files/oracle.py            writes counts.json beside this file (a minute or two)
    python3 tests/it/game_files/oracle.py nim357     prints the counts of one game, and writes nothing

The rules here are written from the descriptions of the games, with lists of cells, coordinates and explicit lists of
lines, and share nothing with the WGSL but the numbers of the actions. They are slow and plain. Needs Python 3.9 or
later and nothing else. The random games are seeded, so that the file comes out the same each time.

counts.json has an object for each game:
    max_actions, max_plies  as in the header of the WGSL file
    perft       leaves by depth, from depth 0: sequences of exactly so many actions; a finished game has none below it
    perft_deep  [[depth, leaves], ...]: more of them, for those who have the time
    subtrees    [{moves, depth, leaves}, ...]: the same below other positions
    playouts    [{moves, legal, outcome}, ...]: random games, some of which lean to what is rare. `legal` has the
                number of legal actions before each move
    solved      [{moves, outcome, best}, ...]: outcomes with best play, and all actions that bring them about
    games       only where they can be counted: all games that there are, by outcome
    facts       [{what, value, source}, ...]: figures and where they come from. This file asserts those that it can
                count
Moves and actions are indexes, outcomes "first", "second" and "draw".
"""

import itertools
import json
import random
import sys
from pathlib import Path

FIRST, SECOND = 0, 1
OUTCOMES = ("first", "second")
MOST_LEAVES = 30_000


class Game:
    """Rules. Positions are never changed once they are made."""

    playouts = 100
    solver_nodes = 20_000
    # Games that begin with something rare.
    openings = []

    def key(self, position):
        return position

    def leaning(self, position, turn, actions):
        """Actions that lead to what random games hardly ever see. None: there is nothing of the kind."""
        return None

    def perft_deep(self):
        return []

    def facts(self):
        return []


class TicTacToe(Game):
    name, max_actions, max_plies = "tictactoe", 9, 9
    lines = ("012", "345", "678", "036", "147", "258", "048", "246")

    def start(self):
        return "." * 9

    def legal(self, board, turn):
        return [square for square in range(9) if board[square] == "."]

    def take(self, board, turn, action):
        return board[:action] + "XO"[turn] + board[action + 1 :]

    def outcome(self, board, turn):
        for line in self.lines:
            marks = {board[int(square)] for square in line}
            if len(marks) == 1 and marks != {"."}:
                return "first" if marks == {"X"} else "second"
        return None if "." in board else "draw"

    def perft_deep(self):
        return [6, 7, 8, 9]

    def facts(self):
        games = all_games(self)
        assert games == {"first": 131_184, "second": 77_904, "draw": 46_080}
        source = "Henry Bottomley, How many Tic-Tac-Toe games are possible?, http://www.se16.info/hgb/tictactoe.htm"
        return [{"what": "games", "value": sum(games.values()), "source": source}]


class Nim(Game):
    name, max_actions, max_plies = "nim357", 21, 15

    def start(self):
        return (3, 5, 7)

    def legal(self, heaps, turn):
        return [7 * i + taken - 1 for i, heap in enumerate(heaps) for taken in range(1, heap + 1)]

    def take(self, heaps, turn, action):
        heaps = list(heaps)
        heaps[action // 7] -= action % 7 + 1
        return tuple(heaps)

    def outcome(self, heaps, turn):
        return OUTCOMES[1 - turn] if not any(heaps) else None

    def facts(self):
        # Bouton's theorem, for every position there is.
        for heaps in ((a, b, c) for a in range(4) for b in range(6) for c in range(8)):
            wins = heaps[0] ^ heaps[1] ^ heaps[2] != 0
            assert not any(heaps) or solve(self, heaps, FIRST)[0] == ("first" if wins else "second")
        source = "C. L. Bouton, Nim, a game with a complete mathematical theory, Annals of Mathematics 3 (1901)"
        return [{"what": "winning first actions", "value": [0, 7, 14], "source": source}]


class Hex(Game):
    name, max_actions, max_plies = "hex11", 121, 121
    size = 11
    solver_nodes = 4_000
    playouts = 60

    def start(self):
        return "." * self.size**2

    def legal(self, board, turn):
        return [cell for cell, stone in enumerate(board) if stone == "."]

    def take(self, board, turn, action):
        return board[:action] + "XO"[turn] + board[action + 1 :]

    def connects(self, board, stone):
        """Walks from the top down, or from the left to the right."""
        size = self.size
        begin = [(0, i) if stone == "X" else (i, 0) for i in range(size)]
        seen = {place for place in begin if board[place[0] * size + place[1]] == stone}
        todo = list(seen)
        while todo:
            row, column = todo.pop()
            if (row if stone == "X" else column) == size - 1:
                return True
            for down, right in ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, -1), (1, 0)):
                place = (row + down, column + right)
                on_board = 0 <= place[0] < size and 0 <= place[1] < size
                if on_board and place not in seen and board[place[0] * size + place[1]] == stone:
                    seen.add(place)
                    todo.append(place)
        return False

    def outcome(self, board, turn):
        return OUTCOMES[1 - turn] if self.connects(board, "OX"[turn]) else None

    def facts(self):
        source = "John Nash's argument, in Martin Gardner, Mathematical Games, Scientific American, July 1957"
        return [{"what": "outcome of the start with best play", "value": "first", "source": source}]


class Breakthrough(Game):
    name, max_actions, max_plies = "breakthrough", 192, 177

    def start(self):
        return ("O" * 8,) * 2 + ("." * 8,) * 4 + ("X" * 8,) * 2

    def goal(self, turn, action):
        row, column = divmod(action // 3, 8)
        return row + (-1 if turn == FIRST else 1), column + action % 3 - 1

    def legal(self, board, turn):
        own, enemy = "XO"[turn], "OX"[turn]
        found = []
        for action in range(self.max_actions):
            square, step = divmod(action, 3)
            if board[square // 8][square % 8] != own:
                continue
            row, column = self.goal(turn, action)
            there = board[row][column] if 0 <= row < 8 and 0 <= column < 8 else "outside"
            if there == "." or (there == enemy and step != 1):
                found.append(action)
        return found

    def take(self, board, turn, action):
        rows = [list(row) for row in board]
        row, column = self.goal(turn, action)
        rows[action // 24][action // 3 % 8] = "."
        rows[row][column] = "XO"[turn]
        return tuple("".join(row) for row in rows)

    def outcome(self, board, turn):
        if "X" in board[0] or not any("O" in row for row in board):
            return "first"
        if "O" in board[7] or not any("X" in row for row in board):
            return "second"
        return None

    def leaning(self, board, turn, actions):
        """Captures, or the men furthest behind, until one player has no men left."""
        captures = [a for a in actions if board[self.goal(turn, a)[0]][self.goal(turn, a)[1]] != "."]
        behind = max(actions, key=lambda action: action // 24 if turn == FIRST else -(action // 24)) // 24
        return captures or [action for action in actions if action // 24 == behind]

    def perft_deep(self):
        return [4]


class Domineering(Game):
    name, max_actions, max_plies = "domineering5", 25, 12
    solver_nodes = 400_000

    def __init__(self, rows=5, columns=5):
        self.rows, self.columns = rows, columns

    def start(self):
        return frozenset((row, column) for row in range(self.rows) for column in range(self.columns))

    def domino(self, turn, action):
        row, column = divmod(action, self.columns)
        return {(row, column), (row + 1, column) if turn == FIRST else (row, column + 1)}

    def legal(self, free, turn):
        return [action for action in range(self.rows * self.columns) if self.domino(turn, action) <= free]

    def take(self, free, turn, action):
        return free - self.domino(turn, action)

    def outcome(self, free, turn):
        return None if self.legal(free, turn) else OUTCOMES[1 - turn]

    def facts(self):
        breuker = (
            "D. M. Breuker, J. W. H. M. Uiterwijk, H. J. van den Herik, Solving 8 x 8 Domineering, Theoretical"
            " Computer Science 230 (2000)"
        )
        uiterwijk = "J. W. H. M. Uiterwijk, Perfectly Solving Domineering Boards, Computer Games, CGW 2013"
        found = []
        for rows, columns, value, source in (
            (4, 4, "first", breuker),
            (4, 5, "first", uiterwijk),
            (5, 4, "second", uiterwijk),
            (5, 5, "second", breuker),
        ):
            board = Domineering(rows, columns)
            assert solve(board, board.start(), FIRST)[0] == value
            what = f"outcome of {rows} rows, {columns} columns with best play, upright dominoes beginning"
            found.append({"what": what, "value": value, "source": source})
        return found


class Clobber(Game):
    name, max_actions, max_plies = "clobber", 120, 29
    steps = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def start(self):
        return tuple("".join("XO"[(row + column) % 2] for column in range(6)) for row in range(5))

    def legal(self, board, turn):
        found = []
        for row in range(5):
            for column in range(6):
                for direction, (down, right) in enumerate(self.steps):
                    goal = (row + down, column + right)
                    if 0 <= goal[0] < 5 and 0 <= goal[1] < 6 and board[row][column] == "XO"[turn]:
                        if board[goal[0]][goal[1]] == "OX"[turn]:
                            found.append(4 * (6 * row + column) + direction)
        return found

    def take(self, board, turn, action):
        rows = [list(row) for row in board]
        row, column = divmod(action // 4, 6)
        down, right = self.steps[action % 4]
        rows[row][column] = "."
        rows[row + down][column + right] = "XO"[turn]
        return tuple("".join(row) for row in rows)

    def outcome(self, board, turn):
        return None if self.legal(board, turn) else OUTCOMES[1 - turn]


class Hare(Game):
    name, max_actions, max_plies = "hare", 121, 179
    solver_nodes = 400_000
    column = (1, 2, 3, 0, 1, 2, 3, 4, 1, 2, 3)
    near = (
        (1, 3, 4, 5), (0, 2, 5), (1, 5, 6, 7),
        (0, 4, 8), (0, 3, 5, 8), (0, 1, 2, 4, 6, 8, 9, 10), (2, 5, 7, 10), (2, 6, 10),
        (3, 4, 5, 9), (5, 8, 10), (5, 6, 7, 9),
    )  # fmt: skip

    def start(self):
        return ((0, 3, 8), 7, 0)

    def legal(self, position, turn):
        hounds, hare, _ = position
        found = []
        for point in hounds if turn == FIRST else (hare,):
            for goal in self.near[point]:
                back = turn == FIRST and self.column[goal] < self.column[point]
                if goal != hare and goal not in hounds and not back:
                    found.append(11 * point + goal)
        return sorted(found)

    def take(self, position, turn, action):
        hounds, hare, stalls = position
        point, goal = divmod(action, 11)
        if turn == SECOND:
            return (hounds, goal, stalls)
        moved = tuple(sorted(goal if hound == point else hound for hound in hounds))
        return (moved, hare, stalls + 1 if self.column[point] == self.column[goal] else 0)

    def leaning(self, position, turn, actions):
        """Nobody ends the game who need not: stalls."""
        ends = {action: self.outcome(self.take(position, turn, action), 1 - turn) for action in actions}
        return [action for action in actions if ends[action] is None] or actions

    def outcome(self, position, turn):
        hounds, hare, stalls = position
        if stalls == 10 or self.column[hare] < min(self.column[hound] for hound in hounds):
            return "second"
        return None if turn == FIRST or self.legal(position, turn) else "first"

    def facts(self):
        """Hounds that are to move always can: the rules say nothing of hounds that are stuck."""
        seen, todo = set(), [(self.start(), FIRST)]
        while todo:
            position, turn = todo.pop()
            for action in self.legal(position, turn):
                after = (self.take(position, turn, action), 1 - turn)
                if after not in seen and self.outcome(*after) is None:
                    assert self.legal(*after)
                    seen.add(after)
                    todo.append(after)
        source = "counted by oracle.py, which goes through all positions"
        return [{"what": "outcome of the start with best play", "value": "first", "source": source}]


class Morris(Game):
    name, max_actions, max_plies = "morris", 169, 300
    playouts = 40
    # A man that closes two mills at once, a man taken from the last mill, three men that can only fly.
    openings = [
        [1, 8, 2, 10, 7, 12, 6, 14, 0],
        [8, 0, 10, 1, 12, 2, 168, 36, 9, 168, 25],
        [9, 10, 20, 17, 14, 15, 2, 1, 6, 3, 8, 19, 4, 11, 168, 44, 22, 12, 168, 46, 23, 16, 96, 149, 168, 31, 88, 144]
        + [168, 29, 129, 149, 168, 37, 165, 144, 168, 46],
    ]
    solver_nodes = 4_000
    # Points in their order, as places on a grid of 7 x 7; lines of three, and neighbours, as one sees them there.
    places = [
        (3 + distance * down, 3 + distance * right)
        for distance in (3, 2, 1)
        for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
    ]
    mills = [
        "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1",
        "a7 a4 a1", "b6 b4 b2", "c5 c4 c3", "d7 d6 d5", "d3 d2 d1", "e5 e4 e3", "f6 f4 f2", "g7 g4 g1",
    ]  # fmt: skip

    def __init__(self):
        number = {"abcdefg"[column] + str(7 - row): point for point, (row, column) in enumerate(self.places)}
        self.lines = [[number[name] for name in mill.split()] for mill in self.mills]
        pairs = {(a, b) for a, b, c in self.lines} | {(b, c) for a, b, c in self.lines}
        self.near = [[q for q in range(24) if (p, q) in pairs or (q, p) in pairs] for p in range(24)]
        assert sum(map(len, self.near)) == 64

    def start(self):
        """The board, men in the hands, the next thing that the player in turn must do, a lifted man's point, plies."""
        return ("." * 24, (9, 9), "move", None, 0)

    def in_mill(self, board, point):
        return any(point in line and len({board[p] for p in line}) == 1 for line in self.lines)

    def slide(self, point, direction):
        """The goal: clockwise, against the clock, outward, inward, seen from the middle of the board."""
        row, column = self.places[point]
        for goal in self.near[point]:
            down, right = self.places[goal][0] - row, self.places[goal][1] - column
            # The turn of the direction around the middle, and whether it leads away from it.
            turning = (column - 3) * down - (row - 3) * right
            outward = (row - 3) * down + (column - 3) * right
            if turning != 0:
                found = 0 if turning > 0 else 1
            else:
                found = 2 if outward > 0 else 3
            if found == direction:
                return goal
        return None

    def legal(self, position, turn):
        board, hands, must, lifted, _ = position
        own, enemy = "XO"[turn], "OX"[turn]
        empty = [p for p in range(24) if board[p] == "."]
        men = [p for p in range(24) if board[p] == own]
        if must in ("await take", "await landing"):
            return [168]
        if must == "take":
            prey = [p for p in range(24) if board[p] == enemy]
            return [24 + p for p in [p for p in prey if not self.in_mill(board, p)] or prey]
        if must == "land":
            return [p for p in empty if p != lifted]
        if hands[turn]:
            return empty
        if len(men) == 3:
            return [48 + p for p in men]
        return [72 + 4 * p + d for p in men for d in range(4) if self.slide(p, d) in empty]

    def take(self, position, turn, action):
        board, hands, must, lifted, plies = position
        board, hands = list(board), list(hands)
        landed, then, origin = None, "move", None
        if action < 24:
            landed = action
            hands[turn] -= must == "move"
        elif action < 48:
            board[action - 24] = "."
        elif action < 72:
            origin, then = action - 48, "await landing"
            board[origin] = "."
        elif action < 168:
            point, direction = divmod(action - 72, 4)
            board[point] = "."
            landed = self.slide(point, direction)
        else:
            then, origin = must.replace("await ", "").replace("landing", "land"), lifted
        if landed is not None:
            board[landed] = "XO"[turn]
            then = "await take" if self.in_mill(board, landed) else "move"
        return ("".join(board), tuple(hands), then, origin, plies + 1)

    def leaning(self, position, turn, actions):
        """As many mills at a time as can be, and men that stay in them."""

        def mills(action):
            board = self.take(position, turn, action)[0]
            return sum(all(board[p] == "XO"[turn] for p in line) for line in self.lines)

        most = max(map(mills, actions))
        return [action for action in actions if mills(action) == most]

    def outcome(self, position, turn):
        board, hands, must, _, plies = position
        if must == "move":
            men = board.count("XO"[turn]) + hands[turn]
            if men < 3 or not self.legal(position, turn):
                return OUTCOMES[1 - turn]
        return "draw" if plies == self.max_plies else None

    def facts(self):
        source = "Ralph Gasser, Solving Nine Men's Morris, Games of No Chance, 1996; without a limit on plies"
        return [{"what": "outcome of the start with best play", "value": "draw", "source": source}]


class Peg(Game):
    name, max_actions, max_plies = "peg15", 37, 25
    wait = 36
    # The three corners of each triangle of six holes, in the order of the sides, and what lies between.
    jumps = [
        jump
        for top, left, right, a, b, c in (
            (1, 4, 6, 2, 3, 5), (2, 7, 9, 4, 5, 8), (3, 8, 10, 5, 6, 9),
            (4, 11, 13, 7, 8, 12), (5, 12, 14, 8, 9, 13), (6, 13, 15, 9, 10, 14),
        )
        for jump in (
            (top, a, left), (left, a, top), (top, b, right), (right, b, top), (left, c, right), (right, c, left),
        )
    ]  # fmt: skip

    def __init__(self, empty=1):
        self.empty = empty

    def start(self):
        return frozenset(range(1, 16)) - {self.empty}

    def jumpable(self, pegs):
        return [
            action
            for action, (a, over, b) in enumerate(self.jumps)
            if a in pegs and over in pegs and b not in pegs
        ]

    def legal(self, pegs, turn):
        return self.jumpable(pegs) if turn == FIRST else [self.wait]

    def take(self, pegs, turn, action):
        if turn == SECOND:
            return pegs
        a, over, b = self.jumps[action]
        return pegs - {a, over} | {b}

    def leaning(self, pegs, turn, actions):
        """Ways to a solution."""
        return solve(self, pegs, turn)[1]

    def outcome(self, pegs, turn):
        if len(pegs) == 1:
            return "first"
        return None if self.jumpable(pegs) else "second"

    def facts(self):
        source = "Dan O'Brien, Peg Board Puzzle Solution Page, http://pegboardgame.blogspot.com, 2014"
        found = []
        for empty, solutions in ((1, 29_760), (2, 14_880), (4, 85_258), (5, 1_550)):
            assert all_games(Peg(empty))["first"] == solutions
            found.append({"what": f"solutions with hole {empty} empty", "value": solutions, "source": source})
        return found


class Quarto(Game):
    """A position: the pieces of the squares a1, b1, ..., d4, those left to give, and the one to place. A piece is its
    four properties."""

    name, max_actions, max_plies = "quarto", 272, 17
    pieces = list(itertools.product((0, 1), repeat=4))
    squares = list(itertools.product(range(4), repeat=2))
    lines = (
        [[(row, column) for column in range(4)] for row in range(4)]
        + [[(row, column) for row in range(4)] for column in range(4)]
        + [[(i, i) for i in range(4)], [(i, 3 - i) for i in range(4)]]
    )

    def start(self):
        return (None,) * 16, frozenset(self.pieces), None

    def legal(self, position, turn):
        board, left, held = position
        give = sorted(self.pieces.index(piece) for piece in left or {held})
        if held is None:
            return [256 + piece for piece in give]
        return [16 * at + piece for at in range(16) if board[at] is None for piece in give]

    def take(self, position, turn, action):
        board, left, held = position
        given = self.pieces[action % 16]
        if action < 256:
            at = action // 16
            board = board[:at] + (held,) + board[at + 1 :]
        return board, left - {given}, given

    def outcome(self, position, turn):
        board = dict(zip(self.squares, position[0]))
        for line in self.lines:
            pieces = [board[square] for square in line]
            if None not in pieces and any(len(set(values)) == 1 for values in zip(*pieces)):
                return OUTCOMES[1 - turn]
        return None if None in position[0] else "draw"

    def leaning(self, position, turn, actions):
        """No line is completed where that can be helped, so that boards fill up."""
        goes_on = [act for act in actions if self.outcome(self.take(position, turn, act), 1 - turn) in (None, "draw")]
        return goes_on or actions


class Dots(Game):
    name, max_actions, max_plies = "dots3", 25, 32

    def __init__(self, size=3):
        dots = range(size + 1)
        lying = [((row, column), (row, column + 1)) for row in dots for column in range(size)]
        standing = [((row, column), (row + 1, column)) for row in range(size) for column in dots]
        self.lines = lying + standing
        self.wait = len(self.lines)
        self.boxes = [
            {line for line in self.lines if all(row <= y <= row + 1 and column <= x <= column + 1 for y, x in line)}
            for row in range(size)
            for column in range(size)
        ]

    def start(self):
        """The lines, who owns each box, and whether the player to move has to wait."""
        return frozenset(), (None,) * len(self.boxes), False

    def legal(self, position, turn):
        lines, _, waits = position
        if waits:
            return [self.wait]
        return [action for action, line in enumerate(self.lines) if line not in lines]

    def take(self, position, turn, action):
        lines, owners, waits = position
        if waits:
            return lines, owners, False
        lines |= {self.lines[action]}
        after = tuple(
            turn if owner is None and box <= lines else owner for owner, box in zip(owners, self.boxes)
        )
        return lines, after, after != owners

    def outcome(self, position, turn):
        lines, owners, _ = position
        if len(lines) < len(self.lines):
            return None
        first, second = owners.count(FIRST), owners.count(SECOND)
        return "draw" if first == second else OUTCOMES[first < second]

    def lead(self, position):
        """Boxes that the mover gets over those of the other one, from here on, with best play."""
        known = {}

        def value(lines):
            if lines not in known:
                found = [0] if len(lines) == len(self.lines) else []
                for line in self.lines:
                    if line not in lines:
                        after = lines | {line}
                        closed = sum(line in box and box <= after for box in self.boxes)
                        found.append(closed + value(after) if closed else -value(after))
                known[lines] = max(found)
            return known[lines]

        return value(position[0])

    def leaning(self, position, turn, actions):
        """Boxes are closed where they can be, and not given away where that can be helped."""

        def closed(lines):
            return sum(box <= lines for box in self.boxes)

        def open_boxes(lines):
            return sum(len(box - lines) == 1 for box in self.boxes)

        lines = position[0]
        if actions == [self.wait]:
            return actions
        after = {action: lines | {self.lines[action]} for action in actions}
        return (
            [action for action in actions if closed(after[action]) > closed(lines)]
            or [action for action in actions if open_boxes(after[action]) == 0]
            or actions
        )

    def facts(self):
        # All sets of lines of 2 x 2 boxes; those of 3 x 3 are too many for this file, and were counted alike.
        assert Dots(2).lead(Dots(2).start()) == 2
        source = "a count of all sets of lines, from the last line back"
        return [{"what": "boxes of the first player over the second, with best play", "value": -3, "source": source}]


GAMES = (TicTacToe(), Nim(), Hex(), Breakthrough(), Domineering(), Clobber(), Morris(), Hare(), Peg(), Quarto(), Dots())


def perft(game, position, turn, depth):
    if depth == 0:
        return 1
    actions = game.legal(position, turn)
    if depth == 1:
        return len(actions)
    leaves = 0
    for action in actions:
        after = game.take(position, turn, action)
        if game.outcome(after, 1 - turn) is None:
            leaves += perft(game, after, 1 - turn, depth - 1)
    return leaves


def perfts(game, position, turn, most):
    """By depth, as long as there are at most so many leaves."""
    found = [1]
    for depth in range(1, game.max_plies + 1):
        leaves = perft(game, position, turn, depth)
        if leaves > most or leaves == 0:
            break
        found.append(leaves)
    return found


def all_games(game):
    """How many games end in each way."""
    known = {}

    def count(position, turn):
        if (position, turn) not in known:
            totals = {"first": 0, "second": 0, "draw": 0}
            for action in game.legal(position, turn):
                after = game.take(position, turn, action)
                end = game.outcome(after, 1 - turn)
                below = {end: 1} if end else count(after, 1 - turn)
                for outcome, games in below.items():
                    totals[outcome] += games
            known[position, turn] = totals
        return known[position, turn]

    return count(game.start(), FIRST)


class TooMany(Exception):
    """A game has more positions than the limit."""


def solve(game, position, turn, most=10**9):
    """The outcome of an ongoing position with best play, and all actions that bring it about."""
    known = {}

    def value(position, turn):
        end = game.outcome(position, turn)
        if end:
            return end
        if (position, turn) not in known:
            if len(known) >= most:
                raise TooMany
            known[position, turn] = None
            found = set()
            for action in game.legal(position, turn):
                found.add(value(game.take(position, turn, action), 1 - turn))
                if OUTCOMES[turn] in found:
                    break
            known[position, turn] = best(found, turn)
        return known[position, turn]

    def best(found, turn):
        return next(outcome for outcome in (OUTCOMES[turn], "draw", OUTCOMES[1 - turn]) if outcome in found)

    values = {action: value(game.take(position, turn, action), 1 - turn) for action in game.legal(position, turn)}
    outcome = best(set(values.values()), turn)
    return outcome, [action for action, its in values.items() if its == outcome]


def playout(game, generator, leaning=False, opening=()):
    position, turn, moves, legal = game.start(), FIRST, [], []
    end = None
    while end is None:
        actions = game.legal(position, turn)
        assert actions == sorted(set(actions)) and actions, f"{game.name} {moves}"
        legal.append(len(actions))
        if len(legal) <= len(opening):
            actions = [opening[len(moves)]]
        elif leaning:
            actions = game.leaning(position, turn, actions)
        moves.append(generator.choice(actions))
        position, turn = game.take(position, turn, moves[-1]), 1 - turn
        end = game.outcome(position, turn)
    assert len(moves) <= game.max_plies
    return {"moves": moves, "legal": legal, "outcome": end}


def replayed(game, moves):
    position = game.start()
    for ply, move in enumerate(moves):
        position = game.take(position, ply % 2, move)
    return position, len(moves) % 2


def subtrees(game, playouts):
    """Small trees below the middles of games: of the first half of a game, of the second, and just before its end."""
    found = []
    for number, moves in enumerate(each["moves"] for each in playouts[:12]):
        length = len(moves)
        before = moves[: (length // 4, length // 2, 3 * length // 4, max(0, length - 3))[number % 4]]
        counts = perfts(game, *replayed(game, before), MOST_LEAVES // 10)
        found.append({"moves": before, "depth": len(counts) - 1, "leaves": counts[-1]})
    return found


def solutions(game, playouts):
    """The start, if it can be solved, and positions of a few games: up to so many plies before the end as can be."""
    found = []
    for number, moves in enumerate([[]] + [each["moves"] for each in playouts[:12]]):
        earliest = None
        for length in range(max(0, len(moves) - 1), max(-1, len(moves) - number - 3), -1):
            try:
                outcome, best = solve(game, *replayed(game, moves[:length]), game.solver_nodes)
            except TooMany:
                break
            earliest = {"moves": moves[:length], "outcome": outcome, "best": best}
        if earliest and earliest not in found:
            found.append(earliest)
    return found


def counts(game):
    generator = random.Random(f"{game.name} 1")
    playouts = [playout(game, generator) for _ in range(game.playouts)]
    if game.leaning(game.start(), FIRST, game.legal(game.start(), FIRST)):
        playouts += [playout(game, generator, leaning=True) for _ in range(game.playouts // 4)]
    playouts += [playout(game, generator, opening=opening) for opening in game.openings]
    found = {
        "max_actions": game.max_actions,
        "max_plies": game.max_plies,
        "perft": perfts(game, game.start(), FIRST, MOST_LEAVES),
        "perft_deep": [[depth, perft(game, game.start(), FIRST, depth)] for depth in game.perft_deep()],
        "subtrees": subtrees(game, playouts),
        "solved": solutions(game, playouts),
    }
    if game.name in ("tictactoe", "peg15", "nim357"):
        found["games"] = all_games(game)
    found["facts"] = game.facts()
    found["playouts"] = playouts
    return found


def text(found):
    """JSON with a line for each list, and for each entry of a list of objects."""

    def line(value):
        return json.dumps(value, separators=(",", ":"))

    games = []
    for name, game in found.items():
        parts = []
        for key, value in game.items():
            rows = isinstance(value, list) and value and isinstance(value[0], dict)
            inside = "[\n" + ",\n".join(line(each) for each in value) + "\n]" if rows else line(value)
            parts.append(f'"{key}": {inside}')
        games.append(f'"{name}": {{\n' + ",\n".join(parts) + "\n}")
    return "{\n" + ",\n".join(games) + "\n}\n"


def main():
    wanted = sys.argv[1:]
    found = {game.name: counts(game) for game in GAMES if not wanted or game.name in wanted}
    if wanted:
        print(text(found), end="")
    else:
        Path(__file__).with_name("counts.json").write_text(text(found))


if __name__ == "__main__":
    main()
