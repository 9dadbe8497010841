import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { VisibleText } from '#/ui/visible-text';
import { renderScreen } from '#/test/render';
import { PageHeader } from '#/ui/page';
import { ChipsCell, CopyCell, MonoCell, TextCell } from './format';

test('text from a host is isolated in its own direction, in cells and in their tooltips', () => {
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

test('chips and texts to copy show hidden characters', async () => {
  const { container } = await renderScreen(
    <>
      <ChipsCell values={['ssh/22', 'a\u202Eb', 'c\u200Bd']} />
      <ChipsCell values={['a\u202Eb']} all mono />
      <CopyCell value={'10.0.0.1\u2066'} />
    </>,
  );
  await screen.findByText('10.0.0.1⟨U+2066⟩');
  expect(container.innerHTML).not.toMatch(/[\u202E\u200B\u2066]/u);
  expect(container.textContent).toContain('a⟨U+202E⟩b');
  expect(container.querySelector('[title*="c⟨U+200B⟩d"]')).toBeTruthy();
  expect(container.textContent).toContain('10.0.0.1⟨U+2066⟩');
});

test("page titles show hidden characters of an object's name, in the heading and in the document", async () => {
  const { container } = await renderScreen(
    <PageHeader title={'shop\u202Egnp (10.0.0.1)'} lead={'shop\u202Egnp'} />,
  );
  await screen.findByRole('heading');
  const heading = container.querySelector('h1');
  expect(heading?.textContent).toBe('shop⟨U+202E⟩gnp (10.0.0.1)');
  expect(heading?.querySelector('span')?.textContent).toBe('(10.0.0.1)');
  expect(document.title).toContain('⟨U+202E⟩');
});
