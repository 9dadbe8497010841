import { expect, test } from 'vitest';

import { stateKey } from './PaneView';
import type { Pane } from './workspace';

const pane = (fields: Partial<Pane>): Pane => ({ refusal: null, end: null, via: '', ...fields }) as Pane;

test('a pane that connects through gateways says so, until the next step', () => {
  const connecting = { status: 'connecting', detail: 'connecting' } as const;
  expect(stateKey(pane({ ...connecting, via: 'edge' }))).toBe('connect:state.connecting_through');
  expect(stateKey(pane(connecting))).toBe('connect:state.connecting');
  expect(stateKey(pane({ ...connecting, detail: 'authenticating' }))).toBe('connect:state.authenticating');
});
