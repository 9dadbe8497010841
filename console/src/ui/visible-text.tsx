/* Foreign text that Postern cannot reject: from hosts, their programs and everybody who tries to sign in. */

/** Control, invisible and direction-changing characters; the server's `foundation/rest/text.py` has the same list. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|\u034F|\u17B4|\u17B5|[\u{E0000}-\u{E007F}]/gu;

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** The text with every invisible or disguising character replaced by its code: `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, codeOf);
}

/** Foreign text in an isolated direction, so that it cannot change the direction of the text beside it. */
export function VisibleText({ text }: { readonly text: string }) {
  return <bdi>{visible(text)}</bdi>;
}
