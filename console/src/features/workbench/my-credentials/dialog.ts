import { create } from 'zustand';
import type { KeptCredential } from '#/domain/entered-credentials/api';

/** The open dialog: for a pair that has a credential, or for one that is chosen in it. */
export interface Asked {
  readonly of: KeptCredential | null;
  readonly done: () => void;
}

export const useCredentialDialog = create<{ readonly asked: Asked | null }>(() => ({ asked: null }));

export function openCredentialDialog(asked: Asked | null): void {
  useCredentialDialog.setState({ asked });
}
