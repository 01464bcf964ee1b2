import { endsInChecksum } from "./checksum.ts";
import type { Report } from "./kinds.ts";
import { distinctChars } from "./plausible.ts";

// Each format is a prefix that its provider gives to nothing else, and a body of bounded length, so that a match costs a bounded time. Sources: the
// providers' own pages on the form of their keys.
const FORMATS: readonly string[] = [
  // GitHub, npm: the last six characters are a checksum.
  "gh[pousr]_[A-Za-z0-9]{36}",
  "npm_[A-Za-z0-9]{36}",
  "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
  // GitLab, Docker, PyPI, RubyGems, Artifactory.
  "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_-]{20,64}",
  "dckr_[op]at_[A-Za-z0-9_-]{27,40}",
  "pypi-AgE[A-Za-z0-9_-]{32,400}",
  "rubygems_[0-9a-f]{48}",
  "AKCp[A-Za-z0-9]{66,72}",
  // Clouds.
  "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
  "AIza[A-Za-z0-9_-]{35}",
  "ya29\\.[A-Za-z0-9_-]{20,400}",
  "GOCSPX-[A-Za-z0-9_-]{28}",
  "do[opr]_v1_[0-9a-f]{64}",
  "hv[sbr]\\.[A-Za-z0-9_-]{24,300}",
  "dapi[0-9a-f]{32}",
  "sbp_[0-9a-f]{40}",
  "pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.-]{32,64}",
  "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9]{40,44}",
  // Payment and shops.
  "[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}",
  "whsec_[A-Za-z0-9+/]{32,64}",
  "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
  "sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}",
  // Messages and mail.
  "xox[abeoprs]-[A-Za-z0-9-]{10,250}",
  "xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{8,14}-[a-z0-9]{20,80}",
  "T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,28}",
  "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}",
  "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}",
  "key-[0-9a-f]{32}",
  "xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
  "(?:AC|SK)[0-9a-f]{32}",
  "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
  // Models.
  "sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,250}",
  "hf_[A-Za-z0-9]{34,40}",
  "gsk_[A-Za-z0-9]{52}",
  "xai-[A-Za-z0-9]{80}",
  "pplx-[A-Za-z0-9]{40,56}",
  "r8_[A-Za-z0-9]{37}",
  // Tools of teams.
  "lin_api_[A-Za-z0-9]{40}",
  "ntn_[A-Za-z0-9]{40,50}",
  "secret_[A-Za-z0-9]{43}",
  "figd_[A-Za-z0-9_-]{40,52}",
  "glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}",
  "PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
  "NRAK-[A-Z0-9]{27}",
  "sntry[us]_[A-Za-z0-9_-]{50,250}",
  "ATATT3[A-Za-z0-9_=-]{60,250}",
  "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}",
  "AGE-SECRET-KEY-1[0-9A-Z]{58}",
];

const TOKEN = new RegExp(`(?<![A-Za-z0-9])(?:${FORMATS.join("|")})(?![A-Za-z0-9])`, "g");
const WITH_CHECKSUM = /^(?:gh[pousr]|npm)_/;

/** Finds tokens of known providers in `piece`, a stretch of token characters and dots that stands at `offset`. */
export function findProviderTokens(piece: string, offset: number, report: Report): void {
  // An iterator of matches would copy the expression each time.
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(piece); match !== null; match = TOKEN.exec(piece)) {
    const { 0: token, index } = match;
    const prefix = WITH_CHECKSUM.exec(token)?.[0];
    if (prefix !== undefined ? endsInChecksum(token.slice(prefix.length)) : isFilledIn(token)) {
      report("provider-token", offset + index, offset + index + token.length);
    }
  }
}

/** Words with hyphens (`sk-loading-indicator-small`) and templates (`AIzaXXXX…`) have the form too, but not two digits, or few characters. */
function isFilledIn(token: string): boolean {
  let digits = 0;
  for (const character of token) if (character >= "0" && character <= "9") digits++;
  return (digits >= 2 || /^[A-Z0-9]+$/.test(token) || /[A-Z].*[a-z]|[a-z].*[A-Z]/.test(token.slice(4))) && distinctChars(token.slice(-16)) >= 5;
}
