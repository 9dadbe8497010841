import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { VisibleText } from '#/ui/visible-text';
import { MonoCell, TextCell } from './format';

test('text that a host has sent stands in a direction of its own, in cells and in their tooltips', () => {
  const file = '/tmp/\u202Egnp.exe';
  const { container } = render(
    <>
      <VisibleText text={file} />
      <TextCell value={file} />
      <MonoCell value={file} />
    </>,
  );
  expect(container.innerHTML).not.toContain('\u202E');
  expect(container.querySelectorAll('bdi')).toHaveLength(3);
});
