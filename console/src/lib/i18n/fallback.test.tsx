import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { startI18n, useT } from '.';

vi.mock('../../ui/locales/zh.json', () => ({ default: { close: '关闭' } }));

function Probe() {
  const t = useT();
  return (
    <p>
      {t('ui:close')} {t('ui:cancel')}
    </p>
  );
}

test('[S1-060] a text missing in the current language is shown in English', async () => {
  await startI18n(['ui'], 'zh');
  render(<Probe />);
  expect(await screen.findByText('关闭 Cancel')).toBeTruthy();
});
