import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderScreen } from '#/test/render';
import { ProtocolsField } from './ProtocolsField';

const input = {
  id: 'protocols',
  label: 'Protocols',
  describedBy: undefined,
  invalid: false,
  disabled: false,
};

describe('the protocols of an asset', () => {
  it('offer those of sessions, and WinRM and RDP for jobs on Windows', async () => {
    const onChange = vi.fn();
    const { rerender } = render(<ProtocolsField input={{ ...input, value: ['ssh/22'], onChange }} />);
    const add = () => userEvent.click(screen.getAllByRole('button').at(-1) ?? document.body);
    await add();
    expect(onChange).toHaveBeenLastCalledWith(['ssh/22', 'winrm/5986']);
    rerender(<ProtocolsField input={{ ...input, value: ['winrm/5986', 'ssh/22'], onChange }} />);
    await add();
    expect(onChange).toHaveBeenLastCalledWith(['winrm/5986', 'ssh/22', 'rdp/3389']);
    expect(screen.queryAllByText(/vnc|telnet/)).toHaveLength(0);
  });

  it.each([
    [['ssh/22'], []],
    [['winrm/5986'], ['winrm']],
    [
      ['winrm/5985', 'rdp/3389'],
      ['winrm', 'rdp'],
    ],
  ])('%s: say what the protocols for jobs are good for', async (value, explained) => {
    await renderScreen(<ProtocolsField input={{ ...input, value, onChange: vi.fn() }} />);
    await screen.findByRole('group');
    const notes = screen
      .queryAllByText(/ jobs /)
      .map((note) => note.textContent.split(' ')[0]?.toLowerCase());
    expect(notes).toEqual(explained);
  });

  it('show a stored protocol that they do not offer', () => {
    render(<ProtocolsField input={{ ...input, value: ['ssh/22', 'vnc/5901'], onChange: vi.fn() }} />);
    expect(screen.queryAllByText('vnc')).not.toHaveLength(0);
    expect(screen.getByDisplayValue('5901')).toBeTruthy();
  });
});
