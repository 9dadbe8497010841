import { type DragEvent, useState } from 'react';
import { droppedItems } from './transfers/local-items';
import type { LocalItem } from './transfers/queue';

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files');
}

/** Files and folders that are dragged over a pane. `isOver`: they may be dropped now. */
export function useDrop(onItems: (items: Promise<readonly LocalItem[]>) => void) {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        onItems(droppedItems(event.dataTransfer));
      },
    },
  };
}
