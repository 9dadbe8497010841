import { useEffect, useEffectEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { isManual } from '#/domain/entered-credentials/api';
import { toast } from '#/ui/toast';
import {
  grantedAsset,
  type GrantedAsset,
  type GrantedSystemUser,
  type SessionTarget,
  usableSystemUsers,
} from './api';

/** What must be resolved before the session of an asset can start: the choice of an account, or missing access. */
export interface Opening {
  readonly choice: {
    readonly asset: GrantedAsset;
    readonly systemUsers: readonly GrantedSystemUser[];
  } | null;
  /** Id of the asset that is not granted to the person. */
  readonly noAccess: string | null;
  readonly choose: (asset: GrantedAsset) => Promise<void>;
  readonly start: (asset: GrantedAsset, systemUser: GrantedSystemUser) => void;
  readonly leave: () => void;
}

/** Which accounts are offered, and what happens if the person has others only. */
export interface Serving {
  readonly serves: (systemUser: GrantedSystemUser) => boolean;
  readonly onNone: (asset: GrantedAsset) => void;
}

/**
 * Opens sessions of assets. The asset named in the address (`?asset=<id>`) is opened at once, with the account that the
 * address may name (`&system_user=<id>`).
 */
export function useOpening(onStart: (target: SessionTarget) => void, serving?: Serving): Opening {
  const [choice, setChoice] = useState<Opening['choice']>(null);
  const [noAccess, setNoAccess] = useState<string | null>(null);
  const leave = (): void => {
    setChoice(null);
    setNoAccess(null);
  };
  const start: Opening['start'] = (asset, systemUser) => {
    leave();
    onStart({ assetId: asset.id, assetName: asset.hostname, address: asset.ip, systemUser });
  };
  const choose = async (asset: GrantedAsset, wanted: string | null = null): Promise<void> => {
    try {
      const granted = await usableSystemUsers(asset.id);
      const usable = serving === undefined ? granted : granted.filter(serving.serves);
      if (serving !== undefined && usable.length === 0 && granted.length > 0) {
        serving.onNone(asset);
        return;
      }
      const named = usable.filter(({ id }) => id === wanted);
      const systemUsers = named.length > 0 ? named : usable;
      const [only] = systemUsers;
      if (only === undefined) setNoAccess(asset.id);
      else if (systemUsers.length === 1 && !isManual(only)) start(asset, only);
      else setChoice({ asset, systemUsers });
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    }
  };
  const openFromAddress = useEffectEvent(async (id: string, systemUser: string | null) => {
    try {
      const [asset] = (await grantedAsset(id)).results;
      if (asset) await choose(asset, systemUser);
      else setNoAccess(id);
    } catch (error) {
      toast({ tone: 'error', text: explain(error) });
    }
  });
  useEffect(() => {
    const address = new URL(location.href);
    const id = address.searchParams.get('asset');
    if (id === null) return;
    // Removes the parameters, so that reloading the page does not open another session.
    const systemUser = address.searchParams.get('system_user');
    address.searchParams.delete('asset');
    address.searchParams.delete('system_user');
    history.replaceState(history.state, '', address);
    // The state changes only after the server's answer.
    // oxlint-disable-next-line react/set-state-in-effect
    void openFromAddress(id, systemUser);
  }, []);
  return { choice, noAccess, choose: (asset) => choose(asset), start, leave };
}
