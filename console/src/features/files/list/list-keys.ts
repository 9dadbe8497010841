import type { KeyboardEvent } from 'react';
import { beginningWith, type How, select, selectAll, type Selection } from './selection';

/** What the keys of a list act on. */
export interface ListKeys {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly selection: Selection;
  readonly onSelection: (selection: Selection) => void;
  /** Scrolls to a row. */
  readonly onShow: (at: number) => void;
  readonly onOpen: (at: number) => void;
  readonly onUp: () => void;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

/** The text that is being typed to find a name, and when its last letter came, in ms. */
export interface Typed {
  text: string;
  at: number;
}

const TYPE_AHEAD_MS = 700;
const PAGE_ROWS = 10;

/** The row that a key moves to; null for other keys. */
function target(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at < 0 ? 0 : at - 1;
    case 'PageDown':
      return at + PAGE_ROWS;
    case 'PageUp':
      return at - PAGE_ROWS;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

function moved(event: KeyboardEvent): How {
  if (event.shiftKey) return 'range';
  return event.ctrlKey || event.metaKey ? 'cursor' : 'only';
}

/** Keys without a row to move to; true if the key was one of them. */
function command(event: KeyboardEvent, at: number, list: ListKeys): boolean {
  const { key } = event;
  if (key === 'Enter' && at >= 0) list.onOpen(at);
  else if (key === 'Backspace') list.onUp();
  else if (key === 'F2') list.onRename();
  else if (key === 'Delete') list.onDelete();
  else if (key === 'Escape') list.onSelection({ ...list.selection, chosen: new Set() });
  else if (key === ' ') list.onSelection(select(list.selection, list.ids, Math.max(0, at), 'toggle'));
  else if (key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey))
    list.onSelection(selectAll(list.selection, list.ids));
  else return false;
  return true;
}

/** A key that was pressed in the list; `typed` is kept between two keys. */
export function handleListKey(event: KeyboardEvent, list: ListKeys, typed: Typed): void {
  if (event.altKey) return;
  const { ids, names, selection } = list;
  const at = selection.cursor === null ? -1 : ids.indexOf(selection.cursor);
  const moveTo = (row: number, how: How): void => {
    const to = Math.max(0, Math.min(ids.length - 1, row));
    list.onSelection(select(selection, ids, to, how));
    list.onShow(to);
  };
  const isTyping = typed.text !== '' && event.timeStamp - typed.at < TYPE_AHEAD_MS;
  const row = target(event.key, at, ids.length);
  if (row !== null) moveTo(row, moved(event));
  else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && (event.key !== ' ' || isTyping)) {
    typed.text = isTyping ? typed.text + event.key : event.key;
    typed.at = event.timeStamp;
    const found = beginningWith(names, at, typed.text);
    if (found >= 0) moveTo(found, 'only');
  } else if (!command(event, at, list)) return;
  event.preventDefault();
}
