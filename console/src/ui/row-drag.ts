import { createContext, type DragEvent } from 'react';

/**
 * Called when rows of a table are dragged: the row under the pointer, or all selected rows if it is one of them. `clear`
 * ends the selection. Without a handler rows cannot be dragged.
 */
export type RowDragHandler = (event: DragEvent, ids: readonly string[], clear: () => void) => void;

/** Handler of the tables below; it is a context, because the lists between do not need to know of it. */
export const RowDrag = createContext<RowDragHandler | null>(null);
