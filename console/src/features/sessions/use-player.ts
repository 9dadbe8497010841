import { useSyncExternalStore } from 'react';
import type { PlayerState, ReplayPlayer } from '#/islands/replay/player';

const IDLE: PlayerState = {
  status: 'loading',
  positionMs: 0,
  speed: 1,
  skipIdle: true,
  skippedMs: 0,
  error: null,
};

const nothing = (): (() => void) => () => undefined;

/** State of a player; renders again with each change. */
export function usePlayerState(player: ReplayPlayer | null): PlayerState {
  return useSyncExternalStore(
    player ? (listener) => player.subscribe(listener) : nothing,
    () => player?.state ?? IDLE,
  );
}
