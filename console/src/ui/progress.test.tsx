import { render, screen } from '@testing-library/react';
import { beforeAll, expect, test } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { Progress } from './progress';

beforeAll(() => startI18n(['ui'], 'en'));

test('long work shows what is done, failed and pending', () => {
  const { container, rerender } = render(<Progress label="Import" ok={3} failed={1} total={8} />);
  const bar = screen.getByRole('progressbar', { name: 'Import' });
  expect(bar.getAttribute('aria-valuenow')).toBe('4');
  expect(bar.getAttribute('aria-valuetext')).toBe('4 of 8 done, 1 failed');
  const width = (part: string) => container.querySelector<HTMLElement>(`[data-part=${part}]`)?.style.width;
  expect([width('ok'), width('failed')]).toEqual(['37.5%', '12.5%']);
  expect(screen.getByText('4 to go')).toBeTruthy();
  rerender(<Progress label="Import" ok={8} failed={0} total={8} />);
  expect(screen.queryByText(/failed/)).toBeNull();
  expect(screen.queryByText(/to go/)).toBeNull();
});

test('work without steps is an empty bar, without a division by zero', () => {
  const { container } = render(<Progress label="Import" ok={0} failed={0} total={0} />);
  expect(container.querySelector<HTMLElement>('[data-part=ok]')?.style.width).toBe('0%');
});
