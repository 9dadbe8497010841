import { expect, test } from 'vitest';

import { type SessionProgress, stateKey } from './state';

const pane = (fields: Partial<SessionProgress>): SessionProgress => ({
  status: 'connecting',
  detail: '',
  refusal: null,
  end: null,
  via: '',
  ...fields,
});

test('a pane that connects through gateways says so, until the next step', () => {
  const connecting = { status: 'connecting', detail: 'connecting' } as const;
  expect(stateKey(pane({ ...connecting, via: 'edge' }))).toBe('connecting:state.connecting_through');
  expect(stateKey(pane(connecting))).toBe('connecting:state.connecting');
  expect(stateKey(pane({ ...connecting, detail: 'authenticating' }))).toBe('connecting:state.authenticating');
});
