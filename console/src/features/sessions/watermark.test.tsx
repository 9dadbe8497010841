import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { admin, adminSession, renderScreen } from '#/test/render';
import { tileOf, Watermark } from './Watermark';

function mark(): string | null {
  return document.querySelector('[data-watermark]')?.getAttribute('data-watermark') ?? null;
}

test('a watched screen names its viewer and the time', async () => {
  await renderScreen(<Watermark />);
  await waitFor(() => expect(mark()).not.toBeNull());
  expect(mark()).toMatch(
    new RegExp(`^${admin.name} \\(${admin.username}\\) \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$`),
  );
});

test('the system setting switches the watermark off', async () => {
  const settings = { ...adminSession.settings, SECURITY_WATERMARK_ENABLED: false };
  const content = (
    <>
      <Watermark />
      the end
    </>
  );
  await renderScreen(content, { session: { ...adminSession, settings } });
  await screen.findByText('the end');
  expect(mark()).toBeNull();
});

test('a name cannot leave the picture of the watermark', () => {
  const image = decodeURIComponent(tileOf('<script>&"').slice('url("data:image/svg+xml,'.length, -2));
  expect(image).toContain('&lt;script&gt;&amp;"');
  expect(image).not.toContain('<script');
});
