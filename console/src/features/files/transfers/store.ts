import { create } from 'zustand';
import type { Transfer } from './transfer';

export const useTransfers = create<{ readonly transfers: readonly Transfer[] }>(() => ({ transfers: [] }));

export function allTransfers(): readonly Transfer[] {
  return useTransfers.getState().transfers;
}

export function transferOf(id: string): Transfer | undefined {
  return allTransfers().find((transfer) => transfer.id === id);
}

export function changeTransfer(id: string, change: Partial<Transfer>): void {
  useTransfers.setState(({ transfers }) => ({
    transfers: transfers.map((transfer) => (transfer.id === id ? { ...transfer, ...change } : transfer)),
  }));
}
