import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Dialog, Modal } from 'react-aria-components';
import { expect, test, vi } from 'vitest';
import { ModalLayer } from './modal-layer';

/** A dialog with a button, and a second dialog above it on request. */
function Layers({
  onClose,
  onCloseAbove,
}: {
  readonly onClose: () => void;
  readonly onCloseAbove?: () => void;
}) {
  return (
    <>
      <ModalLayer onClose={onClose} className="">
        <Modal>
          <Dialog aria-label="Messages">
            <button type="button">Mark as read</button>
          </Dialog>
        </Modal>
      </ModalLayer>
      {onCloseAbove && (
        <ModalLayer onClose={onCloseAbove} className="">
          <Modal>
            <Dialog aria-label="Question" />
          </Modal>
        </ModalLayer>
      )}
    </>
  );
}

// The browser moves the focus to the body when the focused button is removed.
test('Escape closes it while the focus is on the body', () => {
  const close = vi.fn();
  render(<Layers onClose={close} />);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(close).toHaveBeenCalledOnce();
});

test('Escape closes it once while the focus is inside', async () => {
  const close = vi.fn();
  render(<Layers onClose={close} />);
  screen.getByRole('button', { name: 'Mark as read' }).focus();
  await userEvent.keyboard('{Escape}');
  expect(close).toHaveBeenCalledOnce();
});

test('with the focus on the body, Escape closes only the layer on top', async () => {
  const close = vi.fn();
  const closeAbove = vi.fn();
  render(<Layers onClose={close} onCloseAbove={closeAbove} />);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(closeAbove).toHaveBeenCalledOnce();
  expect(close).not.toHaveBeenCalled();
});
