import { type ProviderName, PROVIDERS } from '#/domain/external/providers';
import type { SignInSettings } from './api';

/** One part of the first step. */
export type Block =
  | { readonly key: string; readonly way: 'form'; readonly isForDirectoryOnly: boolean }
  | { readonly key: string; readonly way: 'passkey'; readonly isForDirectoryOnly?: never }
  | {
      readonly key: string;
      readonly way: 'provider';
      readonly providers: readonly ProviderName[];
      readonly vouching: SignInSettings['vouching'];
      readonly isForDirectoryOnly?: never;
    };

const USUAL = ['password', 'ldap', 'passkey', 'openid', 'saml', 'wecom', 'dingtalk', 'feishu'];

/** For a page whose settings cannot be loaded. */
export const WITHOUT_SETTINGS: SignInSettings = {
  forgot: null,
  providers: [],
  vouching: [],
  trustDays: 0,
  ways: USUAL,
};

function isProvider(way: string): way is ProviderName {
  return (PROVIDERS as readonly string[]).includes(way);
}

/** The parts of the first step in the order of the settings. Both kinds of passwords share one form. */
export function blocksOf({ ways, providers, vouching }: SignInSettings): readonly Block[] {
  const blocks: Block[] = [];
  for (const way of ways ?? USUAL) {
    if (way === 'password' || way === 'ldap') {
      if (blocks.some((block) => block.way === 'form')) continue;
      blocks.push({ key: 'form', way: 'form', isForDirectoryOnly: !(ways ?? USUAL).includes('password') });
    } else if (way === 'passkey') {
      blocks.push({ key: way, way });
    } else if (isProvider(way) && providers.includes(way)) {
      blocks.push({ key: way, way: 'provider', providers: [way], vouching: [] });
    } else {
      const ofWay = vouching.filter((provider) => provider.kind === way);
      if (ofWay.length > 0) {
        blocks.push({ key: way, way: 'provider', providers: [], vouching: ofWay });
      }
    }
  }
  return blocks;
}

/** Whether a line with "or" is above this block: where providers follow something else. */
export function isDivided(blocks: readonly Block[], index: number): boolean {
  const last = blocks[index - 1];
  return last !== undefined && last.way !== 'provider' && blocks[index]?.way === 'provider';
}
