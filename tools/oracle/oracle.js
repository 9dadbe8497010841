// Reads one case a line (JSON) from standard input, answers one line each: what xterm shows after the case's steps.
// A case: {"columns", "rows", "steps": [{"data": base64} | {"resize": [columns, rows]}]}.
import { createInterface } from "node:readline";
import headless from "@xterm/headless";
import unicode11 from "@xterm/addon-unicode11";

function open(columns, rows) {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000, logLevel: "off" });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  return terminal;
}

function style(cell) {
  const colour = (rgb, palette, value) => (rgb ? 0x1000000 | value : palette ? value : -1);
  let flags = 0;
  if (cell.isBold()) flags |= 1;
  if (cell.isDim()) flags |= 2;
  if (cell.isItalic()) flags |= 4;
  if (cell.isBlink()) flags |= 8;
  if (cell.isInverse()) flags |= 16;
  if (cell.isInvisible()) flags |= 32;
  if (cell.isStrikethrough()) flags |= 64;
  if (cell.isOverline()) flags |= 128;
  if (cell.isUnderline()) flags |= 256;
  return [
    flags,
    colour(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()),
    colour(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor()),
  ];
}

function look(terminal) {
  const buffer = terminal.buffer.active;
  const rows = [];
  for (let y = 0; y < terminal.rows; y++) {
    const line = buffer.getLine(buffer.baseY + y);
    const cells = [];
    for (let x = 0; x < terminal.cols; x++) {
      const cell = line.getCell(x);
      cells.push([cell.getChars(), cell.getWidth(), ...style(cell)]);
    }
    rows.push({ text: line.translateToString(true), wrapped: line.isWrapped, cells });
  }
  const modes = terminal.modes;
  return {
    rows,
    cursor: [buffer.cursorX, buffer.cursorY],
    alternate: buffer.type === "alternate",
    modes: {
      1: modes.applicationCursorKeysMode,
      6: modes.originMode,
      7: modes.wraparoundMode,
      45: modes.reverseWraparoundMode,
      1004: modes.sendFocusMode,
      2004: modes.bracketedPasteMode,
    },
    insert: modes.insertMode,
    mouse: modes.mouseTrackingMode,
  };
}

for await (const text of createInterface({ input: process.stdin })) {
  const wanted = JSON.parse(text);
  const terminal = open(wanted.columns, wanted.rows);
  for (const step of wanted.steps) {
    if (step.resize) terminal.resize(...step.resize);
    else await new Promise((done) => terminal.write(Buffer.from(step.data, "base64"), done));
  }
  process.stdout.write(JSON.stringify(look(terminal)) + "\n");
  terminal.dispose();
}
