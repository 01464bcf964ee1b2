/**
 * The little of RFC 3986 that schema identifiers need; core has no `URL`. Texts are taken as they are: no case folding, no
 * percent-decoding, as JSON Schema compares identifiers after resolution alone.
 */
interface UriParts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

// RFC 3986 appendix B: each class excludes its own terminator, so this is linear on any text.
const URI = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/;

function parseUri(text: string): UriParts {
  const [, scheme, authority, path = "", query, fragment] = URI.exec(text) ?? [];
  return { scheme, authority, path, query, fragment };
}

/** Splits at the first `#`; the fragment comes without it, and is `undefined` where there is none. */
export function splitFragment(uri: string): { readonly uri: string; readonly fragment: string | undefined } {
  const hash = uri.indexOf("#");
  return hash < 0 ? { uri, fragment: undefined } : { uri: uri.slice(0, hash), fragment: uri.slice(hash + 1) };
}

/** A fragment as a JSON pointer or an anchor: percent-decoded, or `undefined` where the escapes are malformed. */
export function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** RFC 3986 section 5.2. An empty base stands for a document of unknown place, so the result may stay relative. */
export function resolveUri(base: string, reference: string): string {
  const ref = parseUri(reference);
  if (ref.scheme !== undefined) return formatUri({ ...ref, path: removeDotSegments(ref.path) });
  const from = parseUri(base);
  const { scheme } = from;
  if (ref.authority !== undefined) return formatUri({ ...ref, scheme, path: removeDotSegments(ref.path) });
  const { authority } = from;
  if (ref.path === "") return formatUri({ scheme, authority, path: from.path, query: ref.query ?? from.query, fragment: ref.fragment });
  const path = ref.path.startsWith("/") ? ref.path : mergePaths(from, ref.path);
  return formatUri({ scheme, authority, path: removeDotSegments(path), query: ref.query, fragment: ref.fragment });
}

function mergePaths(base: UriParts, path: string): string {
  if (base.authority !== undefined && base.path === "") return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf("/") + 1) + path;
}

function removeDotSegments(path: string): string {
  if (!path.includes(".")) return path;
  const kept: string[] = [];
  const segments = path.split("/");
  const rooted = segments[0] === "" && segments.length > 1;
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment === "..") {
      if (kept.length > (rooted ? 1 : 0)) kept.pop();
    } else if (segment !== ".") {
      kept.push(segment);
      return;
    }
    // A trailing "." or ".." names a folder.
    if (last) kept.push("");
  });
  return kept.join("/");
}

function formatUri({ scheme, authority, path, query, fragment }: UriParts): string {
  return (
    (scheme === undefined ? "" : `${scheme}:`) +
    (authority === undefined ? "" : `//${authority}`) +
    path +
    (query === undefined ? "" : `?${query}`) +
    (fragment === undefined ? "" : `#${fragment}`)
  );
}
