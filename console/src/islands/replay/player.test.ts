import { describe, expect, it } from 'vitest';
import type { Recording, RecordingEvent } from './container';
import { ReplayPlayer, type FrameClock, type TerminalSink } from './player';

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const output = (ms: number, text: string): RecordingEvent => ({
  kind: 'output',
  ms,
  data: bytes(text),
});
const keyframe = (ms: number, text: string): RecordingEvent => ({
  kind: 'keyframe',
  ms,
  columns: 80,
  rows: 24,
  text: bytes(text),
});

/** A fake terminal that records the visible text: everything since the last reset. */
class Screen implements TerminalSink {
  text = '';
  sizes: string[] = [];
  writes = 0;

  reset(): void {
    this.text = '';
  }

  resize(columns: number, rows: number): void {
    this.sizes.push(`${columns}x${rows}`);
  }

  write(data: Uint8Array<ArrayBuffer> | string): void {
    this.writes += 1;
    this.text += typeof data === 'string' ? data : new TextDecoder().decode(data);
  }
}

class ManualClock implements FrameClock {
  time = 0;
  #pending = new Map<number, () => void>();
  #handles = 0;

  now(): number {
    return this.time;
  }

  request(callback: () => void): number {
    this.#handles += 1;
    this.#pending.set(this.#handles, callback);
    return this.#handles;
  }

  cancel(handle: number): void {
    this.#pending.delete(handle);
  }

  get waiting(): number {
    return this.#pending.size;
  }

  async run(ms: number, stepMs = 100): Promise<void> {
    for (const end = this.time + ms; this.time < end;) {
      this.time = Math.min(end, this.time + stepMs);
      const due = [...this.#pending.values()];
      this.#pending.clear();
      for (const callback of due) callback();
      for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
    }
  }
}

function recording(blocks: RecordingEvent[][], durationMs: number, charset = 'utf-8') {
  const asked: number[] = [];
  const first = blocks.map((events) => (events[0] as RecordingEvent).ms);
  const fake = {
    header: { charset },
    durationMs,
    blockCount: blocks.length,
    blockAt: (ms: number) =>
      Math.max(
        0,
        first.findLastIndex((at) => at <= ms),
      ),
    events: (number: number) => {
      asked.push(number);
      const events = blocks[number];
      return events === undefined ? Promise.reject(new Error('no such block')) : Promise.resolve(events);
    },
  };
  return { asked, recording: fake as unknown as Recording };
}

const TWO_BLOCKS = [
  [keyframe(0, ''), output(100, 'a'), output(500, 'b')],
  [keyframe(900, 'ab'), output(1000, 'c'), output(1500, 'd')],
];

function setUp(blocks = TWO_BLOCKS, durationMs = 2000, charset = 'utf-8') {
  const screen = new Screen();
  const clock = new ManualClock();
  const made = recording(blocks, durationMs, charset);
  const player = new ReplayPlayer(made.recording, screen, clock);
  return { screen, clock, player, asked: made.asked };
}

describe('replay player', () => {
  it('shows the screen at the requested position', async () => {
    const { player, screen } = setUp();
    await player.seek(1200);
    expect(screen.text).toBe('abc');
    await player.seek(300);
    expect(screen.text).toBe('a');
    expect(player.state).toMatchObject({ status: 'paused', positionMs: 300 });
  });

  it('seeks with at most two writes, however many events come before the position', async () => {
    const many = [[keyframe(0, ''), ...Array.from({ length: 5000 }, (_, ms) => output(ms, 'x'))]];
    const { player, screen } = setUp(many, 5000);
    await player.seek(4999);
    expect(screen.text).toHaveLength(5000);
    expect(screen.writes).toBeLessThanOrEqual(2);
  });

  it('plays in real time across blocks without drawing keyframes again', async () => {
    const { player, screen, clock } = setUp();
    player.setSkipIdle(false);
    await player.seek(0);
    player.play();
    await clock.run(600);
    expect(screen.text).toBe('ab');
    await clock.run(500);
    expect(screen.text).toBe('abc');
    await clock.run(1000);
    expect(screen.text).toBe('abcd');
    expect(player.state).toMatchObject({ status: 'ended', positionMs: 2000 });
    expect(clock.waiting).toBe(0);
  });

  it('plays faster', async () => {
    const { player, screen, clock } = setUp();
    player.setSkipIdle(false);
    player.setSpeed(4);
    await player.seek(0);
    player.play();
    await clock.run(300);
    expect(screen.text).toBe('abc');
  });

  it('skips a pause and says how long it was', async () => {
    const { player, screen, clock } = setUp(
      [[keyframe(0, ''), output(10, 'a'), output(600_000, 'b')]],
      600_100,
    );
    await player.seek(0);
    player.play();
    await clock.run(1000);
    expect(screen.text).toBe('ab');
    expect(player.state.skippedMs === 0 || player.state.skippedMs > 590_000).toBe(true);
    await clock.run(3000);
    expect(player.state.status).toBe('ended');
  });

  it('finds the end of a pause in a later block', async () => {
    const blocks = [
      [keyframe(0, ''), output(10, 'a')],
      [keyframe(60_000, 'a')],
      [keyframe(120_000, 'a'), output(120_500, 'b')],
    ];
    const { player, screen, clock } = setUp(blocks, 121_000);
    await player.seek(0);
    player.play();
    await clock.run(1500);
    expect(screen.text).toBe('ab');
  });

  it('starts again from the beginning after the end', async () => {
    const { player, screen, clock } = setUp();
    await player.seek(2000);
    player.play();
    await clock.run(3000);
    expect(player.state.status).toBe('ended');
    player.play();
    await clock.run(200);
    expect(player.state.status).toBe('playing');
    expect(screen.text).toBe('a');
  });

  it('drops a seek that a later seek has overtaken', async () => {
    const { player, screen } = setUp();
    await Promise.all([player.seek(1900), player.seek(200)]);
    expect(screen.text).toBe('a');
    expect(player.state.positionMs).toBe(200);
  });

  it('continues to play after a seek while playing', async () => {
    const { player, screen, clock } = setUp();
    await player.seek(0);
    player.play();
    await player.seek(900);
    await clock.run(200);
    expect(screen.text).toBe('abc');
    expect(player.state.status).toBe('playing');
  });

  it('applies a resize between two outputs', async () => {
    const events: RecordingEvent[] = [
      keyframe(0, ''),
      output(1, 'a'),
      { kind: 'resize', ms: 2, columns: 120, rows: 40 },
      output(3, 'b'),
    ];
    const { player, screen } = setUp([events], 10);
    await player.seek(10);
    expect(screen.text).toBe('ab');
    expect(screen.sizes).toEqual(['80x24', '120x40']);
  });

  it('decodes another character set across events', async () => {
    const [first, second] = [0xd6, 0xd0]; // 中 in GB 18030
    const events: RecordingEvent[] = [
      keyframe(0, ''),
      { kind: 'output', ms: 1, data: new Uint8Array([first]) },
      { kind: 'output', ms: 500, data: new Uint8Array([second]) },
    ];
    const { player, screen, clock } = setUp([events], 1000, 'gb18030');
    await player.seek(0);
    player.play();
    await clock.run(700);
    expect(screen.text).toBe('中');
  });

  it('reports a failure instead of stopping silently', async () => {
    const { player } = setUp([TWO_BLOCKS[0] as RecordingEvent[]], 2000);
    const broken = recording([], 1000);
    const failing = new ReplayPlayer(
      { ...broken.recording, durationMs: 1000, blockCount: 1 } as Recording,
      new Screen(),
      new ManualClock(),
    );
    await failing.seek(10);
    expect(failing.state.status).toBe('failed');
    expect(player.state.error).toBeNull();
  });

  it('shows an empty recording as ended', async () => {
    const { player } = setUp([], 0);
    await player.seek(0);
    expect(player.state.status).toBe('ended');
  });

  it('runs no frame after disposal', async () => {
    const { player, clock } = setUp();
    await player.seek(0);
    player.play();
    player.dispose();
    expect(clock.waiting).toBe(0);
  });
});
