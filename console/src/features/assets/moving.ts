import { create } from 'zustand';

/** A node as its moves need it. */
export interface MovedNode {
  readonly id: string;
  readonly key: string;
  readonly label: string;
}

/** The node that was cut, until it is pasted, and how often nodes were moved: keys from before may be outdated. */
export const useMoving = create<{ readonly cut: MovedNode | null; readonly moves: number }>(() => ({
  cut: null,
  moves: 0,
}));

export function cutNode(cut: MovedNode | null): void {
  useMoving.setState({ cut });
}

export function keysChanged(): void {
  useMoving.setState(({ moves }) => ({ moves: moves + 1 }));
}
