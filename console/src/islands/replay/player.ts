/**
 * Plays a recording into a terminal. Independent of React and xterm: the terminal is a small interface and the clock is
 * injected, so that all rules can be tested without a browser.
 */

import type { Recording, RecordingEvent } from './container';

/** The player's interface to a terminal. `write` must be cheap enough to call once per animation frame. */
export interface TerminalSink {
  reset(): void;
  resize(columns: number, rows: number): void;
  write(data: Uint8Array<ArrayBuffer> | string): void;
}

/** Clock and animation frames, as the browser provides them. */
export interface FrameClock {
  now(): number;
  request(callback: () => void): number;
  cancel(handle: number): void;
}

export interface PlayerState {
  status: 'loading' | 'paused' | 'playing' | 'ended' | 'failed';
  positionMs: number;
  speed: number;
  skipIdle: boolean;
  /** Length of the pause that is being skipped, in ms; otherwise absent. */
  skippedMs: number;
  error: Error | null;
}

/** When idle time is skipped, pauses are cut to this length. */
export const IDLE_LIMIT_MS = 1_000;
export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;

const FORGET_SKIPPED_AFTER_MS = 1_500;

function joined(parts: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  if (parts.length === 1) return parts[0] as Uint8Array<ArrayBuffer>;
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Decodes the output from one starting keyframe on; created again whenever playing starts from another keyframe. */
class OutputWriter {
  readonly #sink: TerminalSink;
  readonly #decoder: TextDecoder | null;
  #parts: Uint8Array<ArrayBuffer>[] = [];

  constructor(sink: TerminalSink, charset: string) {
    this.#sink = sink;
    // UTF-8 needs no decoder here: the terminal decodes it itself, across writes.
    this.#decoder = charset === 'utf-8' ? null : new TextDecoder(charset);
  }

  add(data: Uint8Array<ArrayBuffer>): void {
    this.#parts.push(data);
  }

  flush(): void {
    if (this.#parts.length === 0) return;
    const data = joined(this.#parts);
    this.#parts = [];
    this.#sink.write(this.#decoder === null ? data : this.#decoder.decode(data, { stream: true }));
  }
}

export class ReplayPlayer {
  readonly #recording: Recording;
  readonly #sink: TerminalSink;
  readonly #clock: FrameClock;
  readonly #listeners = new Set<() => void>();
  #state: PlayerState = {
    status: 'loading',
    positionMs: 0,
    speed: 1,
    skipIdle: true,
    skippedMs: 0,
    error: null,
  };
  #writer: OutputWriter;
  /** Block of the next event, and the event's index in that block. */
  #block = 0;
  #events: RecordingEvent[] = [];
  #next = 0;
  #frame: number | null = null;
  #lastTick = 0;
  #skippedAt = 0;
  /** Incremented by each seek, so that an older seek that finishes later is dropped. */
  #seekNumber = 0;

  constructor(recording: Recording, sink: TerminalSink, clock: FrameClock) {
    this.#recording = recording;
    this.#sink = sink;
    this.#clock = clock;
    this.#writer = new OutputWriter(sink, recording.header.charset);
  }

  get state(): PlayerState {
    return this.#state;
  }

  /** Calls back after each change of `state`. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  play(): void {
    if (this.#state.status === 'playing' || this.#state.status === 'failed') return;
    if (this.#state.status === 'ended') {
      void this.seek(0).then(() => this.play());
      return;
    }
    this.#change({ status: 'playing' });
    this.#lastTick = this.#clock.now();
    this.#schedule();
  }

  pause(): void {
    this.#stopFrames();
    if (this.#state.status === 'playing') this.#change({ status: 'paused' });
  }

  toggle(): void {
    if (this.#state.status === 'playing') this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.#change({ speed });
  }

  setSkipIdle(skipIdle: boolean): void {
    this.#change({ skipIdle });
  }

  /** Shows the screen at `ms`. A playing player continues to play. Resolves when the screen is written. */
  async seek(ms: number): Promise<void> {
    const target = Math.min(Math.max(0, ms), this.#recording.durationMs);
    this.#seekNumber += 1;
    const number = this.#seekNumber;
    const wasPlaying = this.#state.status === 'playing';
    this.#stopFrames();
    this.#change({ positionMs: target, skippedMs: 0 });
    try {
      if (this.#recording.blockCount === 0) {
        this.#change({ status: 'ended' });
        return;
      }
      const block = this.#recording.blockAt(target);
      const events = await this.#recording.events(block);
      if (number !== this.#seekNumber) return;
      this.#show(block, events, target);
    } catch (error) {
      if (number === this.#seekNumber) this.#fail(error);
      return;
    }
    this.#change({ status: 'paused' });
    if (wasPlaying) this.play();
    this.#prefetch();
  }

  /** Releases everything; no frame runs afterwards. */
  dispose(): void {
    this.#seekNumber += 1;
    this.#stopFrames();
    this.#listeners.clear();
  }

  #show(block: number, events: RecordingEvent[], ms: number): void {
    let from = 0;
    for (let place = 0; place < events.length; place += 1) {
      const event = events[place] as RecordingEvent;
      if (event.ms > ms) break;
      if (event.kind === 'keyframe') from = place;
    }
    const keyframe = events[from] as Extract<RecordingEvent, { kind: 'keyframe' }>;
    this.#sink.reset();
    this.#sink.resize(keyframe.columns, keyframe.rows);
    this.#writer = new OutputWriter(this.#sink, this.#recording.header.charset);
    this.#sink.write(new TextDecoder().decode(keyframe.text));
    this.#block = block;
    this.#events = events;
    this.#next = from + 1;
    this.#advanceTo(ms);
  }

  /** Writes all events of the current block up to `ms`. */
  #advanceTo(ms: number): void {
    while (this.#next < this.#events.length) {
      const event = this.#events[this.#next] as RecordingEvent;
      if (event.ms > ms) break;
      if (event.kind === 'output') {
        this.#writer.add(event.data);
      } else if (event.kind === 'resize') {
        this.#writer.flush();
        this.#sink.resize(event.columns, event.rows);
      }
      this.#next += 1;
    }
    this.#writer.flush();
  }

  #schedule(): void {
    this.#frame = this.#clock.request(() => void this.#tick());
  }

  #stopFrames(): void {
    if (this.#frame !== null) this.#clock.cancel(this.#frame);
    this.#frame = null;
  }

  async #tick(): Promise<void> {
    this.#frame = null;
    const number = this.#seekNumber;
    const now = this.#clock.now();
    let position = this.#state.positionMs + (now - this.#lastTick) * this.#state.speed;
    this.#lastTick = now;
    try {
      position = await this.#skipIdleFrom(position);
      this.#advanceTo(position);
      while (this.#next >= this.#events.length && this.#block + 1 < this.#recording.blockCount) {
        const following = await this.#recording.events(this.#block + 1);
        if (number !== this.#seekNumber || this.#state.status !== 'playing') return;
        if ((following[0] as RecordingEvent).ms > position) break;
        this.#block += 1;
        this.#events = following;
        this.#next = 0;
        this.#advanceTo(position);
      }
    } catch (error) {
      if (number === this.#seekNumber) this.#fail(error);
      return;
    }
    if (number !== this.#seekNumber || this.#state.status !== 'playing') return;
    if (position >= this.#recording.durationMs) {
      this.#change({ positionMs: this.#recording.durationMs, status: 'ended', skippedMs: 0 });
      return;
    }
    const forget = this.#state.skippedMs > 0 && now - this.#skippedAt > FORGET_SKIPPED_AFTER_MS;
    this.#change({ positionMs: position, ...(forget ? { skippedMs: 0 } : {}) });
    this.#schedule();
    this.#prefetch();
  }

  /** Jumps to shortly before the next event when nothing happens for long. */
  async #skipIdleFrom(position: number): Promise<number> {
    if (!this.#state.skipIdle) return position;
    const next = await this.#nextEventMs();
    const at = Math.min(next ?? this.#recording.durationMs, this.#recording.durationMs);
    if (at - position <= IDLE_LIMIT_MS) return position;
    this.#skippedAt = this.#clock.now();
    const landed = at - IDLE_LIMIT_MS / 2;
    this.#change({ skippedMs: landed - position });
    return landed;
  }

  async #nextEventMs(): Promise<number | null> {
    const inBlock = this.#events[this.#next];
    if (inBlock !== undefined) return inBlock.ms;
    for (let block = this.#block + 1; block < this.#recording.blockCount; block += 1) {
      const nextEvent = (await this.#recording.events(block)).find((event) => event.kind !== 'keyframe');
      if (nextEvent !== undefined) return nextEvent.ms;
    }
    return null;
  }

  #prefetch(): void {
    if (this.#block + 1 < this.#recording.blockCount) {
      // Prefetch only; a failure is reported when the block is needed.
      this.#recording.events(this.#block + 1).catch(() => undefined);
    }
  }

  #fail(error: unknown): void {
    this.#change({
      status: 'failed',
      error: error instanceof Error ? error : new Error(String(error)),
    });
  }

  #change(part: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}
