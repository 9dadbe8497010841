import type { Terminal } from '@xterm/xterm';
import { copyText } from '#/ui/clipboard';

/** Keys that move the focus out of the terminal: the documented exit from the focus trap. */
function isEscapeChord(event: KeyboardEvent): boolean {
  return event.key === 'Escape' && event.ctrlKey && event.shiftKey;
}

/** Copying takes Shift as well (or Ctrl-Insert), because Ctrl-C interrupts the program on the host. */
function isCopyChord(event: KeyboardEvent): boolean {
  return (
    event.ctrlKey && !event.altKey && ((event.shiftKey && event.code === 'KeyC') || event.key === 'Insert')
  );
}

function isPasteChord(event: KeyboardEvent): boolean {
  return event.ctrlKey && event.shiftKey && !event.altKey && event.code === 'KeyV';
}

/** Copy, paste, and leaving the terminal with the keyboard. */
export function handleKeys(xterm: Terminal, element: HTMLElement): void {
  xterm.attachCustomKeyEventHandler((event) => {
    if (isCopyChord(event)) {
      if (event.type === 'keydown' && xterm.hasSelection()) {
        event.preventDefault();
        void copyText(xterm.getSelection());
      }
      return false;
    }
    // Left to the browser, which then pastes into the terminal.
    if (isPasteChord(event)) return false;
    if (!isEscapeChord(event)) return true;
    if (event.type === 'keydown') element.closest<HTMLElement>('[data-terminal-exit]')?.focus();
    return false;
  });
}

/** Without this the browser also fills the hidden input field; megabytes on one line freeze the page. */
export function handlePaste(xterm: Terminal, element: HTMLElement, mayType: boolean): void {
  element.addEventListener(
    'paste',
    (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (mayType) xterm.paste(event.clipboardData?.getData('text/plain') ?? '');
    },
    { capture: true },
  );
}
