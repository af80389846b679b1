"""Tokens that somebody made up: each begins with a good one and changes what an attacker would change."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any

import jwt

from longstop.serve.entry.signing import SigningKey

Forgery = tuple[str, str]


def b64(raw: bytes | str | dict[str, Any]) -> str:
    if isinstance(raw, dict):
        raw = json.dumps(raw)
    content = raw.encode() if isinstance(raw, str) else raw
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Forger:
    """Has one good token and, where a row needs it, the secret: what is well signed and wrong must be refused too."""

    def __init__(self, token: str, key: SigningKey, now: int) -> None:
        self.token = token
        self.key = key
        self.now = now
        self.header, self.payload, self.signature = token.split(".")
        self.claims = jwt.decode(token, options={"verify_signature": False})
        self.head = jwt.get_unverified_header(token)

    def signed(self, header: Any, payload: Any, secret: bytes | None = None, digest: str = "sha256") -> str:
        body = f"{b64(header)}.{b64(payload)}"
        made = hmac.new(self.key.secret if secret is None else secret, body.encode(), digest).digest()
        return f"{body}.{b64(made)}"

    def claiming(self, **claims: Any) -> str:
        return self.signed(self.head, self.claims | claims)

    def without(self, name: str) -> str:
        return self.signed(self.head, {key: value for key, value in self.claims.items() if key != name})

    def headed(self, **header: Any) -> str:
        return self.signed(self.head | header, self.claims)

    def all(self) -> Iterator[Forgery]:
        yield from self._algorithms()
        yield from self._headers()
        yield from self._kids()
        yield from self._claims()
        yield from self._times()
        yield from self._spellings()
        yield from self._shapes()

    def _algorithms(self) -> Iterator[Forgery]:
        for name in ("none", "None", "NONE", "nOnE", ""):
            header = b64(self.head | {"alg": name})
            yield f"alg {name!r} without a signature", f"{header}.{self.payload}."
            yield f"alg {name!r} with the old signature", f"{header}.{self.payload}.{self.signature}"
        for name, digest in (("HS384", "sha384"), ("HS512", "sha512")):
            yield f"alg {name}", self.signed(self.head | {"alg": name}, self.claims, digest=digest)
        for name in ("RS256", "ES256", "PS256", "EdDSA", "hs256", "HS256 ", "HS257"):
            yield f"alg {name} signed as HS256", self.headed(alg=name)
        yield "alg as a list", self.headed(alg=["HS256"])
        yield "alg null", self.headed(alg=None)
        yield "no alg", self.signed({"typ": "JWT", "kid": self.key.kid}, self.claims)
        public = b"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n"
        yield "a public key as the HMAC secret", self.signed(self.head, self.claims, public)

    def _headers(self) -> Iterator[Forgery]:
        mine = b"a secret of the attacker, long enough"
        jwk = {"kty": "oct", "k": b64(mine)}
        for name, value in (
            ("jwk", jwk),
            ("jku", "http://127.0.0.1:1/keys.json"),
            ("x5u", "http://127.0.0.1:1/cert.pem"),
            ("x5c", ["MIIB"]),
            ("x5t", "abc"),
        ):
            yield f"{name} in the header", self.signed(self.head | {name: value}, self.claims, mine)
            yield f"{name} in the header, well signed", self.headed(**{name: value})
        yield "crit", self.headed(crit=["exp"])
        yield "crit with b64 false", self.headed(crit=["b64"], b64=False)
        yield "cty of a nested token", self.headed(cty="JWT")
        yield "zip", self.headed(zip="DEF")
        yield "typ of another kind", self.headed(typ="at+jwt")
        yield "no typ", self.signed({"alg": "HS256", "kid": self.key.kid}, self.claims)

    def _kids(self) -> Iterator[Forgery]:
        for kid, secret in (
            ("../../../../dev/null", b""),
            ("/dev/null", b""),
            ("' UNION SELECT 'key' --", b"key"),
            ("x' OR '1'='1", b"x"),
            ("| cat /etc/passwd", b""),
            ("http://127.0.0.1:1/key", b"key"),
            (f"{self.key.kid}\x00", self.key.secret),
            (f" {self.key.kid}", self.key.secret),
            (self.key.kid.upper() + "X", self.key.secret),
            ("", b""),
            ("__class__", b""),
        ):
            yield f"kid {kid!r}", self.signed(self.head | {"kid": kid}, self.claims, secret or b"\0")
        for odd in (None, 0, True, [self.key.kid], {"kid": self.key.kid}):
            yield f"kid {odd!r}", self.headed(kid=odd)
        yield "no kid", self.signed({"alg": "HS256", "typ": "JWT"}, self.claims)

    def _claims(self) -> Iterator[Forgery]:
        for secret in (b"", b"secret", b"longstop", self.key.kid.encode(), hashlib.sha256(b"").digest()):
            yield f"signed with {secret!r}", self.signed(self.head, self.claims, secret)
        for name in self.claims:
            yield f"without {name}", self.without(name)
            yield f"{name} null", self.claiming(**{name: None})
            yield f"{name} as a list", self.claiming(**{name: [self.claims[name]]})
        yield "more scope, old signature", f"{self.header}.{b64(self.claims | {'scope': 'admin'})}.{self.signature}"
        for name, value in (
            ("aud", "longstop-console"),
            ("aud", "other-api"),
            ("aud", ["longstop-api", "other"]),
            ("aud", "longstop-api "),
            ("iss", "other"),
            ("iss", "longstop/"),
            ("sub", "aaaaaaaa"),
            ("sub", "../admin"),
            ("sub", "' OR 1=1 --"),
            ("jti", ""),
            ("jti", "x" * 32),
            ("jti", self.claims["jti"].upper() + "0"),
            ("scope", ""),
            ("scope", "root"),
            ("scope", "read  push"),
            ("scope", "read\nadmin"),
            ("nbf", self.now + 3_600),
            ("nbf", self.now - 3_600),
            ("azp", "somebody"),
            ("admin", True),
        ):
            yield f"{name}={value!r}", self.claiming(**{name: value})

    def _times(self) -> Iterator[Forgery]:
        hour = 3_600
        for name, iat, exp in (
            ("long over", self.now - 48 * hour, self.now - 24 * hour),
            ("just over", self.now - hour, self.now),
            ("from the future", self.now + hour, self.now + 2 * hour),
            ("for a century", self.now, self.now + 100 * 365 * 24 * hour),
            ("ends before it begins", self.now + 2, self.now + 1),
            ("beyond what a clock knows", self.now, 2**63),
            ("before time", -1, self.now + hour),
        ):
            yield name, self.claiming(iat=iat, exp=exp)
        for odd in (f"{self.now + hour}", float(self.now + hour), True, 1e308, "9" * 400):
            yield f"exp {str(odd)[:20]} of another type", self.claiming(exp=odd)
        yield "exp NaN", self._raw(json.dumps(self.claims | {"exp": float("nan")}))
        yield "exp infinite", self._raw(json.dumps(self.claims | {"exp": float("inf")}))

    def _raw(self, payload: str, header: str | None = None) -> str:
        return self.signed(json.dumps(self.head) if header is None else header, payload)

    def _spellings(self) -> Iterator[Forgery]:
        text, head = json.dumps(self.claims), json.dumps(self.head)
        yield "a claim twice", self._raw('{"scope": "admin", ' + text[1:])
        yield "a claim twice, the other way round", self._raw(text[:-1] + ', "scope": "admin"}')
        yield "exp twice", self._raw(text[:-1] + f', "exp": {self.now + 99_999}}}')
        yield "a claim twice by escapes", self._raw(text[:-1] + ', "\\u0073cope": "admin"}')
        yield "alg twice", self._raw(text, head[:-1] + ', "alg": "none"}')
        yield "kid twice", self._raw(text, '{"kid": "other", ' + head[1:])
        yield "a list of claims", self._raw(f"[{text}]")
        yield "claims in a string", self._raw(json.dumps(text))
        yield "claims in UTF-16", self.signed(head, text.encode("utf-16"))
        yield "claims that are no UTF-8", self.signed(head, text.encode() + b"\xff")
        yield "a byte order mark", self.signed(head, b"\xef\xbb\xbf" + text.encode())
        yield "something after the claims", self._raw(text + "{}")
        yield "two thousand deep", self._raw("[" * 900 + "]" * 900)
        yield "names that look alike", self._raw(text.replace('"scope"', '"sсope"'))
        yield "a key of an object", self._raw(text[:-1] + ', "__proto__": {"scope": "admin"}}')
        yield "another spelling of the signature", self.token[:-1] + _next_letter(self.token[-1])

    def _shapes(self) -> Iterator[Forgery]:
        h, p, s = self.header, self.payload, self.signature
        yield from (
            ("nothing", ""),
            ("a space", " "),
            ("two parts", f"{h}.{p}"),
            ("four parts", f"{h}.{p}.{s}.{s}"),
            ("five parts", f"{h}.{s}.{p}.{s}.{s}"),
            ("an empty header", f".{p}.{s}"),
            ("an empty payload", f"{h}..{s}"),
            ("an empty signature", f"{h}.{p}."),
            ("a cut signature", f"{h}.{p}.{s[:-1]}"),
            ("a longer signature", f"{h}.{p}.{s}A"),
            ("padding", f"{h}.{p}.{s}="),
            ("plain base64", self.token.replace("-", "+").replace("_", "/") + "="),
            ("a space inside", f"{h}. {p}.{s}"),
            ("a tab at the end", f"{self.token}\t."),
            ("a line break", f"{h}.{p}.\n{s}"),
            ("a NUL", f"{self.token}\x00"),
            ("a zero-width space", f"{self.token}\u200b"),
            ("full-width letters", f"{h}.{p}.{s[:-1]}\uff21"),
            ("a dot of another script", f"{h}\u3002{p}\u3002{s}"),
            ("the token twice", f"{self.token},{self.token}"),
            ("in quotes", f'"{self.token}"'),
            ("a token in a token", self.signed(self.head, self.token)),
            ("a token as a claim", self.claiming(scope=self.token)),
            ("one megabyte of payload", f"{h}.{'A' * 1_000_000}.{s}"),
            ("one megabyte of signature", f"{h}.{p}.{'A' * 1_000_000}"),
            ("one megabyte of dots", "." * 1_000_000),
            ("JSON", json.dumps(self.claims)),
            ("JSON serialisation", json.dumps({"protected": h, "payload": p, "signature": s})),
            ("the reverse", self.token[::-1]),
        )


def _next_letter(letter: str) -> str:
    """The same bits, and other spare ones."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return letters[letters.index(letter) ^ 1]
