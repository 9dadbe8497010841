import { describe, expect, test } from 'vitest';
import { visible } from './visible-text';

describe('text from a host', () => {
  test.each([
    ['rm \u202Egnp.exe', 'rm ⟨U+202E⟩gnp.exe'],
    ['adm\u200Bin', 'adm⟨U+200B⟩in'],
    ['a\u2066b\u2069', 'a⟨U+2066⟩b⟨U+2069⟩'],
    ['\u001B[31mred\r', '⟨U+001B⟩[31mred⟨U+000D⟩'],
    ['\u{E0041}', '⟨U+E0041⟩'],
  ])('it shows disguising characters: %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test.each(['plain', '张伟', 'علي', 'می\u200Cخواهم', '👨\u200D👩', 'one\n\ttwo', ''])(
    'it leaves %j unchanged',
    (text) => {
      expect(visible(text)).toBe(text);
    },
  );
});
