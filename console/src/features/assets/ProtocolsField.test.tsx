import { render, screen } from '@testing-library/react';
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
  it('offer no protocol whose sessions Postern refuses', () => {
    render(<ProtocolsField input={{ ...input, value: ['ssh/22'], onChange: vi.fn() }} />);
    expect(screen.queryAllByText('rdp')).toHaveLength(0);
    expect(screen.getAllByRole('button')).toHaveLength(2); // the choice of the protocol and its removal
  });

  it('show a stored protocol that they do not offer', () => {
    render(<ProtocolsField input={{ ...input, value: ['ssh/22', 'rdp/3389'], onChange: vi.fn() }} />);
    expect(screen.queryAllByText('rdp')).not.toHaveLength(0);
    expect(screen.getByDisplayValue('3389')).toBeTruthy();
  });
});
