import { readCookie, writeCookie } from '#/lib/storage';
import type { QueryValues } from '#/lib/http/query-string';

const COOKIE = 'show_current_asset';
const YEAR = 365;

/** Whether the person wants only the assets of the node itself, without those of the nodes below it. */
export function rememberedOnlyDirect(): boolean {
  return readCookie(COOKIE) === '1';
}

export function rememberOnlyDirect(only: boolean): void {
  writeCookie(COOKIE, only ? '1' : '0', YEAR);
}

/** Conditions of the asset list for the chosen node. */
export function placeOf(node: string | undefined, onlyDirect: boolean): QueryValues | undefined {
  return node === undefined ? undefined : { node_id: node, show_current_asset: onlyDirect ? 1 : 0 };
}
