#!/usr/bin/env python3
"""schema_check.py SCHEMA FILE...: does each JSON file (or, if it is .jsonl, each line of it) fit the schema?

Uses jsonschema if it is installed; else a reader of its own for the keywords that our schemas use, all others being an
error. --own: the latter in any case. Prints what does not fit; exit code 1 then."""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}
NOTES = {"$schema", "$comment", "title", "description", "$defs"}


def is_type(value, name):
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def errors(schema, value, root, at="$"):
    """What of the value does not fit, as texts."""
    for key, rule in schema.items():
        if key in NOTES or key in ("patternProperties", "additionalProperties"):
            continue
        if key == "$ref":
            target = root
            for part in rule.lstrip("#/").split("/"):
                target = target[part]
            yield from errors(target, value, root, at)
        elif key == "oneOf":
            found = [list(errors(one, value, root, at)) for one in rule]
            if sum(not one for one in found) != 1:
                yield "%s fits %d of oneOf: %s" % (at, sum(not one for one in found), [one[:2] for one in found])
        elif key == "type":
            if not any(is_type(value, name) for name in ([rule] if isinstance(rule, str) else rule)):
                yield "%s is no %s" % (at, rule)
        elif key == "const":
            if value != rule:
                yield "%s is not %r" % (at, rule)
        elif key == "minimum":
            if is_type(value, "number") and value < rule:
                yield "%s is less than %r" % (at, rule)
        elif key == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                yield "%s does not match %s" % (at, rule)
        elif key == "minItems":
            if isinstance(value, list) and len(value) < rule:
                yield "%s has fewer than %d items" % (at, rule)
        elif key == "items":
            for i, item in enumerate(value if isinstance(value, list) else []):
                yield from errors(rule, item, root, "%s[%d]" % (at, i))
        elif key == "required":
            for name in rule if isinstance(value, dict) else []:
                if name not in value:
                    yield "%s lacks %s" % (at, name)
        elif key == "dependentRequired":
            for name, others in rule.items() if isinstance(value, dict) else []:
                for other in others:
                    if name in value and other not in value:
                        yield "%s has %s but lacks %s" % (at, name, other)
        elif key == "properties":
            if isinstance(value, dict):
                yield from member_errors(schema, value, root, at)
        else:
            yield "schema: the keyword %s is unknown here" % key


def member_errors(schema, value, root, at):
    for name, member in value.items():
        rules = [schema["properties"][name]] if name in schema["properties"] else []
        rules += [rule for pattern, rule in schema.get("patternProperties", {}).items() if re.search(pattern, name)]
        if not rules and schema.get("additionalProperties") is False:
            yield "%s.%s is in no property" % (at, name)
        for rule in rules:
            yield from errors(rule, member, root, "%s.%s" % (at, name))


def unique(pairs):
    """An object's members; a name that comes twice is no valid statistics file."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name comes twice")
    return members


def no_constant(name):
    raise ValueError("%s is no JSON" % name)


def values(path):
    def load(text):
        return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)
    with open(path) as file:
        return [load(line) for line in file] if path.endswith(".jsonl") else [load(file.read())]


def main(arguments):
    own = arguments[0] == "--own"
    schema_path, *paths = arguments[own:]
    with open(schema_path) as file:
        schema = json.load(file)
    check = None
    if not own:
        try:
            import jsonschema
            jsonschema.Draft202012Validator.check_schema(schema)
            check = jsonschema.Draft202012Validator(schema)
        except (ImportError, AttributeError):
            pass
    wrong = 0
    for path in paths:
        try:
            for value in values(path):
                found = [error.message for error in check.iter_errors(value)] if check else errors(schema, value, schema)
                for message in list(found)[:5]:
                    print("%s: %s" % (path, message[:300]))
                    wrong += 1
        except ValueError as error:
            print("%s: %s" % (path, error))
            wrong += 1
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
