import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { changeLanguage } from '#/lib/i18n';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { Documentation } from './Documentation';
import { GuidePage } from './GuidePage';
import { guideTarget } from './guides';
import { anchorOf, Markdown } from './Markdown';

recordedServer(
  () => [
    mock.get('*/api/v1/terminal/ssh-address/', () =>
      HttpResponse.json({ host: 'gate.example.com', port: 2222 }),
    ),
  ],
  () => [import('./Guides')],
);

async function open(path: string) {
  return renderScreen(<GuidePage />, { address: path, pattern: '/help/$section/$name' });
}

test('help shows host and port of this installation and copies each command', async () => {
  await renderScreen(<Documentation />);
  const copied: string[] = [];
  const user = userEvent.setup();
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation((text) => {
    copied.push(text);
    return Promise.resolve();
  });
  await screen.findByText('gate.example.com');
  for (const label of ['Host', 'Port', 'ssh', 'sftp'])
    await user.click(screen.getByRole('button', { name: `Copy: ${label}` }));
  expect(copied).toEqual([
    'gate.example.com',
    '2222',
    "ssh -p 2222 'admin=<system user>=<asset>@gate.example.com'",
    "sftp -P 2222 'admin=<system user>=<asset>@gate.example.com'",
  ]);
});

test('help lists the guides; each is a page of the console', async () => {
  await renderScreen(<Documentation />);
  const link = await screen.findByRole('link', { name: 'SSH access' });
  expect(link.getAttribute('href')).toBe('/help/guide/ssh-access');
});

test('a guide has a title, linkable headings, tables and code to copy', async () => {
  await open('/help/guide/ssh-access');
  expect(await screen.findByRole('heading', { level: 1, name: 'SSH access' })).toBeTruthy();
  const heading = screen.getByRole('heading', { name: 'User name forms' });
  expect(heading.id).toBe('user-name-forms');
  expect(within(screen.getAllByRole('table')[0] as HTMLElement).getAllByRole('row').length).toBeGreaterThan(
    3,
  );
  expect(screen.getAllByRole('button', { name: 'Copy' }).length).toBeGreaterThan(0);
  expect(screen.getByRole('article').lang).toBe('en');
});

test('a reference that is made from declarations is read in the language of the reader', async () => {
  await open('/help/reference/settings');
  await act(() => changeLanguage('zh'));
  expect(await screen.findByRole('heading', { level: 1, name: '设置' })).toBeTruthy();
  expect(screen.getByRole('article').lang).toBe('zh-CN');
  expect(screen.queryByText('本篇指南目前只有英文版。')).toBeNull();
});

test('an unknown guide says that it does not exist', async () => {
  await open('/help/guide/no-such-page');
  await waitFor(() => expect(screen.getByText('There is no such guide')).toBeTruthy());
});

test('links in guides lead to pages of the console; links to files that it does not contain are plain text', () => {
  expect(guideTarget('install.md#the-consoles-address', 'guide')).toEqual({
    to: '/help/guide/install',
    hash: 'the-consoles-address',
  });
  expect(guideTarget('../reference/keys.md', 'guide')).toEqual({ to: '/help/reference/keys', hash: '' });
  expect(guideTarget('#files', 'guide')).toEqual({ to: '', hash: 'files' });
  expect(guideTarget('../decisions/0008-credentials-that-are-not-offered.md', 'guide')).toBeNull();
  expect(guideTarget('../../deploy/nginx.conf', 'guide')).toBeNull();
});

test('anchors of headings match the links in the guides', () => {
  expect(anchorOf('The second factor (MFA)')).toBe('the-second-factor-mfa');
  expect(anchorOf("The console's address")).toBe('the-consoles-address');
});

test('HTML in a guide is shown as text', () => {
  const { container } = render(
    <Markdown text={'# T\n\na <img src=x onerror=alert(1)> b\n\n<script>1</script>'} section="guide" />,
  );
  expect(container.querySelector('img, script')).toBeNull();
  expect(container.textContent).toContain('<img src=x onerror=alert(1)>');
});

test('comments of a page are not shown', () => {
  const { container } = render(
    <Markdown text={'# T\n\nbefore\n\n<!-- example:begin -->\n\nafter'} section="reference" />,
  );
  expect(container.textContent).not.toContain('example');
  expect(container.textContent).toContain('after');
});
