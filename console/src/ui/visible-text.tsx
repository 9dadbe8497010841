/* Text that Postern could not refuse: what a host, its programs and whoever tries to sign in have sent. */

/** Controls, invisible characters and those that turn the direction; the server's `foundation/rest/text.py` names the same. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|\u034F|\u17B4|\u17B5|[\u{E0000}-\u{E007F}]/gu;

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** The text with every character that would not be seen, or would disguise the others, as its code: `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, codeOf);
}

/** Such a text in a line of its own: its direction does not reach what stands beside it. */
export function VisibleText({ text }: { readonly text: string }) {
  return <bdi>{visible(text)}</bdi>;
}
