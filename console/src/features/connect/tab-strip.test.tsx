import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, expect, test } from 'vitest';
import { renderScreen } from '#/test/render';
import { TabStrip } from './TabStrip';
import { type Pane, useWorkspace } from './workspace';

const before = useWorkspace.getState();
afterEach(() => act(() => useWorkspace.setState(before, true)));

const NAMES = ['web-1', 'web-2', 'web-3'];

/** Three tabs with a pane each; the second is shown. */
async function strip() {
  const panes = Object.fromEntries(
    NAMES.map((name) => [
      `pane-${name}`,
      {
        id: `pane-${name}`,
        end: null,
        status: 'open',
        refusal: null,
        target: { assetName: name },
      } as unknown as Pane,
    ]),
  );
  useWorkspace.setState({
    panes,
    tabs: NAMES.map((name) => ({
      id: name,
      focused: `pane-${name}`,
      layout: { kind: 'pane' as const, id: `pane-${name}` },
    })),
    current: 'web-2',
  });
  return renderScreen(
    <>
      <TabStrip />
      {NAMES.map((name) => (
        <div key={name} id={`panel-${name}`} role="tabpanel" aria-label={name} />
      ))}
    </>,
  );
}

test('the tab list contains only its tabs, although each has a close button beside it', async () => {
  const { container } = await strip();
  const list = await screen.findByRole('tablist');
  const owned = list.getAttribute('aria-owns')?.split(' ') ?? [];
  expect(owned.map((id) => document.getElementById(id)?.getAttribute('role'))).toEqual(['tab', 'tab', 'tab']);
  expect(list.childElementCount).toBe(0);
  const rules = [
    'aria-required-children',
    'aria-required-parent',
    'aria-valid-attr-value',
    'nested-interactive',
  ];
  const { violations } = await axe.run(container, { runOnly: { type: 'rule', values: rules } });
  expect(violations).toEqual([]);
});

test('arrows, Home and End move between tabs, and Delete closes a tab', async () => {
  await strip();
  (await screen.findByRole('tab', { selected: true })).focus();
  const selected = () => screen.getByRole('tab', { selected: true }).textContent;
  for (const [key, name] of [
    ['ArrowRight', 'web-3'],
    ['ArrowLeft', 'web-2'],
    ['Home', 'web-1'],
    ['End', 'web-3'],
  ] as const) {
    await userEvent.keyboard(`{${key}}`);
    expect(selected()).toBe(name);
    expect(document.activeElement?.textContent).toBe(name);
  }
  await userEvent.keyboard('{Delete}');
  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['web-1', 'web-2']);
  expect(selected()).toBe('web-2');
});
