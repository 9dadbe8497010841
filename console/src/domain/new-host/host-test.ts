import { useCallback, useEffect, useRef, useState } from 'react';
import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import type { AddedHost } from './api';

type Outcome = Pick<Api<'HostOutcome'>, 'result' | 'result_display' | 'message' | 'username'>;
type Job = Pick<Api<'JobResult'>, 'is_open' | 'state' | 'result'>;
type Key = Pick<Api<'HostKey'>, 'key_type' | 'fingerprint'>;

/** What is tested, in order: the connection, the host key, the account. */
export const TEST_STEPS = ['reach', 'key', 'account'] as const;
export type TestStep = (typeof TEST_STEPS)[number];

export interface StepState {
  readonly state: 'waiting' | 'running' | 'ok' | 'failed' | 'skipped';
  /** Fingerprint, username, or why it failed. */
  readonly text: string;
}

/** What probably has to be changed. */
export type Advice = 'address' | 'key' | 'account' | 'again';

export interface HostTestState {
  readonly phase: 'idle' | 'running' | 'passed' | 'failed';
  readonly steps: Readonly<Record<TestStep, StepState>>;
  readonly advice: Advice | null;
  /** The last job, whose log says more. */
  readonly job?: string;
}

const WAITING: StepState = { state: 'waiting', text: '' };
const RUNNING: StepState = { state: 'running', text: '' };
const OK: StepState = { state: 'ok', text: '' };
const SKIPPED: StepState = { state: 'skipped', text: '' };
const failed = (text: string): StepState => ({ state: 'failed', text });

export const IDLE: HostTestState = {
  phase: 'idle',
  steps: { reach: WAITING, key: WAITING, account: WAITING },
  advice: null,
};
export const STARTED: HostTestState = {
  phase: 'running',
  steps: { reach: RUNNING, key: WAITING, account: WAITING },
  advice: null,
};

const reasonOf = (outcome: Outcome): string => outcome.message || outcome.result_display;

/** After the connectivity test, which dials the host. */
export function afterReaching(outcome: Outcome): HostTestState {
  switch (outcome.result) {
    case 'done':
      return { phase: 'running', steps: { reach: OK, key: RUNNING, account: WAITING }, advice: null };
    case 'host_key_refused':
      return {
        phase: 'failed',
        steps: { reach: OK, key: failed(reasonOf(outcome)), account: SKIPPED },
        advice: 'key',
      };
    case 'credential_refused':
      // An admin user of the host was refused; the account of the form is tested next.
      return { phase: 'running', steps: { reach: OK, key: RUNNING, account: WAITING }, advice: null };
    default:
      return {
        phase: 'failed',
        steps: { reach: failed(reasonOf(outcome)), key: SKIPPED, account: SKIPPED },
        advice: outcome.result === 'unreachable' ? 'address' : 'again',
      };
  }
}

/** After the test of the account. `key` is the stored key of the host; null if none was seen. */
export function afterSigningIn(outcome: Outcome, key: Key | null): HostTestState {
  const seen: StepState = key ? { state: 'ok', text: `${key.key_type} ${key.fingerprint}` } : SKIPPED;
  switch (outcome.result) {
    case 'done':
      return {
        phase: 'passed',
        steps: { reach: OK, key: seen, account: { state: 'ok', text: outcome.username } },
        advice: null,
      };
    case 'host_key_refused':
      return {
        phase: 'failed',
        steps: { reach: OK, key: failed(reasonOf(outcome)), account: SKIPPED },
        advice: 'key',
      };
    case 'unreachable':
    case 'no_winrm':
      return {
        phase: 'failed',
        steps: { reach: failed(reasonOf(outcome)), key: SKIPPED, account: SKIPPED },
        advice: 'address',
      };
    default:
      return {
        phase: 'failed',
        steps: { reach: OK, key: seen, account: failed(reasonOf(outcome)) },
        advice:
          outcome.result === 'credential_refused' || outcome.result === 'no_shell' ? 'account' : 'again',
      };
  }
}

/** The test could not be carried out: the step that was running has failed. */
export function brokenOff(before: HostTestState, text: string): HostTestState {
  const steps = { ...before.steps };
  let isAfter = false;
  for (const step of TEST_STEPS) {
    if (isAfter) steps[step] = SKIPPED;
    else if (steps[step].state === 'running' || steps[step].state === 'waiting') {
      steps[step] = failed(text);
      isAfter = true;
    }
  }
  return { phase: 'failed', steps, advice: 'again' };
}

const POLL_MS = 700;

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, POLL_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Runs a job on the host and returns how it ended there. `started` gets the id of the job. */
async function outcomeOf(
  asset: string,
  body: object,
  signal: AbortSignal,
  started: (job: string) => void,
): Promise<Outcome> {
  const options = { quiet: true, signal };
  const { task } = await http.post<{ readonly task: string }>(`assets/assets/${asset}/tasks/`, body, options);
  started(task);
  for (;;) {
    const job = await http.get<Job>(`ops/celery/task/${task}/result/`, options);
    if (!job.is_open) {
      const [outcome] = await http.get<readonly Outcome[]>(`ops/adhoc-executions/${task}/hosts/`, options);
      return outcome ?? { result: 'unknown', result_display: job.result, message: job.result, username: '' };
    }
    await pause(signal);
  }
}

async function run(
  made: AddedHost,
  signal: AbortSignal,
  show: (state: HostTestState) => void,
): Promise<void> {
  let state = STARTED;
  let job: { readonly job?: string } = {};
  const started = (id: string) => {
    job = { job: id };
  };
  const next = (changed: HostTestState) => {
    state = { ...changed, ...job };
    if (!signal.aborted) show(state);
  };
  next(STARTED);
  try {
    next(afterReaching(await outcomeOf(made.asset, { action: 'test' }, signal, started)));
    if (state.phase === 'failed') return;
    const outcome = await outcomeOf(
      made.asset,
      { action: 'test_system_user', system_users: [made.system_user] },
      signal,
      started,
    );
    const keys = await http.get<readonly Key[]>('assets/host-keys/', {
      query: { asset: made.asset },
      quiet: true,
      signal,
    });
    next(afterSigningIn(outcome, keys[0] ?? null));
  } catch (error) {
    next(brokenOff(state, explain(error)));
  }
}

/** Tests a host step by step. Leaving the page ends the watching, not the jobs. */
export function useHostTest(): {
  readonly test: HostTestState;
  readonly start: (made: AddedHost) => void;
} {
  const [test, setTest] = useState<HostTestState>(IDLE);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback((made: AddedHost) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    void run(made, controller.signal, setTest);
  }, []);
  return { test, start };
}
