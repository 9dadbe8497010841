import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { ProtocolsField } from './ProtocolsField';

const input = {
  id: 'protocols',
  label: 'Protocols',
  describedBy: undefined,
  invalid: false,
  disabled: false,
};

describe('the protocols of an asset', () => {
  it('offer no protocol whose sessions Postern refuses, and WinRM over HTTPS for jobs', async () => {
    const onChange = vi.fn();
    render(<ProtocolsField input={{ ...input, value: ['ssh/22'], onChange }} />);
    expect(screen.queryAllByText('rdp')).toHaveLength(0);
    const add = screen.getAllByRole('button').at(-1);
    if (add) await userEvent.click(add);
    expect(onChange).toHaveBeenCalledWith(['ssh/22', 'winrm/5986']);
  });

  it('show a stored protocol that they do not offer', () => {
    render(<ProtocolsField input={{ ...input, value: ['ssh/22', 'rdp/3389'], onChange: vi.fn() }} />);
    expect(screen.queryAllByText('rdp')).not.toHaveLength(0);
    expect(screen.getByDisplayValue('3389')).toBeTruthy();
  });
});
