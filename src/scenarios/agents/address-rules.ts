import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { ModelError } from '../../llm/model-error.ts';

/**
 * Where an agent may be: this machine and the internet; other machines of the local network only where the configuration says
 * so; never the addresses at which clouds hand out credentials. Node applies rules of IPv4 to addresses mapped into IPv6.
 */
const NEVER = blockList([
  ['169.254.0.0', 16],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
  // Translated to IPv4 on the way, also to the addresses above.
  ['64:ff9b::', 96],
]);

const LOCAL_NETWORK = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fc00::', 7],
  ['ff00::', 8],
]);

const LOOPBACK = blockList([
  ['127.0.0.0', 8],
  ['::1', 128],
]);

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, familyOf(network));
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

export interface AddressRules {
  /** Whether other machines of the local network may be connected to. */
  readonly privateNetwork: boolean;
  /** Whether this machine may be connected to. Default: yes. */
  readonly loopback?: boolean;
  /** How to allow that: a sentence. */
  readonly advice: string;
}

/** Why an address may not be connected to; null where it may. @param host as the user wrote it */
function forbiddenAddress(address: string, host: string, rules: AddressRules): string | null {
  const family = familyOf(address);
  const shown = host === address ? host : `${host} (${address})`;
  if (NEVER.check(address, family)) {
    return `${shown} is a link-local or metadata address, which is never connected to.`;
  }
  if (rules.loopback === false && LOOPBACK.check(address, family)) {
    return `${shown} is this machine itself. ${rules.advice}`;
  }
  if (!rules.privateNetwork && LOCAL_NETWORK.check(address, family)) {
    return `${shown} is in a private network. ${rules.advice}`;
  }
  return null;
}

/** The sentence about an address in a URL; null where it may be connected to, or is a name. */
export function forbiddenHost({ hostname }: URL, rules: AddressRules): string | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? null : forbiddenAddress(address, address, rules);
}

/** Resolves names as Node does, and fails where one of their addresses may not be connected to. */
export function checkedLookup(rules: AddressRules, resolve: typeof lookup = lookup): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      for (const { address } of addresses) {
        const sentence = forbiddenAddress(address, host, rules);
        if (sentence !== null) return callback(new ModelError('refused', sentence), '');
      }
      const [first] = addresses;
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
