// The part of the games that needs no search: first positions, rules in words, winning lines.

const empty = (rows, columns) => Array(rows).fill('.'.repeat(columns));
const DISCS = { '3': '...XO...', '4': '...OX...' };

/** Each game's first position, top row first. */
export const STARTS = {
  connect4: empty(6, 7),
  othello: empty(8, 8).map((row, at) => DISCS[at] ?? row),
  gomoku: empty(15, 15),
  go: empty(9, 9),
};

export const RULES = {
  connect4: 'Drop a disc into a column: it falls to the lowest free cell. Four in a row, upright, level or slantwise, '
    + 'win.',
  othello: 'Place a disc so that it closes in discs of the other colour in a straight line: these turn over. Who has '
    + 'no such move passes. Who has more discs when nobody can move wins.',
  gomoku: 'Place a stone on any crossing. Exactly five in a row, upright, level or slantwise, win; six do not.',
  go: 'Place a stone on a crossing. Stones without a free crossing beside their group are taken off. A stone may not '
    + 'bring the last position back. Two passes end the game: stones on the board and the crossings that they enclose '
    + 'count, and White gets 7.5 more for moving second. Take dead stones off before you pass.',
};

/** The length of a winning line, and whether it has to be exact. */
const LINES = { connect4: { length: 4, exactly: false }, gomoku: { length: 5, exactly: true } };
const DIRECTIONS = [[0, 1], [1, 0], [1, 1], [1, -1]];

/** The cells of the lines that win on a board, each as 'row,column'. */
export function winningCells(game, rows) {
  const cells = new Set();
  const line = LINES[game];
  const at = (row, column) => rows[row]?.[column];
  for (let row = 0; line && row < rows.length; row += 1) {
    for (let column = 0; column < rows[0].length; column += 1) {
      for (const [down, right] of DIRECTIONS) {
        const stone = at(row, column);
        if (stone === '.' || at(row - down, column - right) === stone) continue;
        let length = 1;
        while (at(row + down * length, column + right * length) === stone) length += 1;
        if (line.exactly ? length !== line.length : length < line.length) continue;
        for (let k = 0; k < length; k += 1) cells.add(`${row + down * k},${column + right * k}`);
      }
    }
  }
  return cells;
}
