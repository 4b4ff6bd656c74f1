"""Runs the vendors' own client libraries against the scripted model server.

    python check.py URL

The server must follow script.json. Every check compares what the library understood with what the script says; a
library that rejects, drops or misreads anything ends the run.
"""

import json
import sys

import anthropic
import ollama
import openai
from google import genai
from google.genai import errors as google_errors
from google.genai import types as google_types

URL = sys.argv[1]
MODEL = "scripted-model"
HELLO = "Hello from the scripted model."
THOUGHT = "Thought it over: 日本語 🎉"
CUT = "Cut in pieces: äöü 日本語 🎉"
ARGUMENTS = {"path": "a ä.txt", "lines": [1, 2]}


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def fails(kind, action, **facts):
    try:
        action()
    except kind as error:
        for name, value in facts.items():
            same(getattr(error, name), value)
        return error
    raise AssertionError(f"{kind} was not raised")


def check_anthropic():
    client = anthropic.Anthropic(api_key="key", base_url=URL, max_retries=0)

    def ask(prompt):
        messages = [{"role": "user", "content": prompt}]
        return client.messages.create(model=MODEL, max_tokens=100, messages=messages)

    def streamed(prompt):
        messages = [{"role": "user", "content": prompt}]
        with client.messages.stream(model=MODEL, max_tokens=100, messages=messages) as stream:
            events = [event.type for event in stream]
            return stream.get_final_message(), events

    for answer in [ask("hi"), streamed("hi")[0]]:
        same(answer.content[0].text, HELLO)
        same(answer.stop_reason, "end_turn")
        same((answer.usage.input_tokens, answer.usage.output_tokens), (11, 7))
    for answer in [ask("please think"), streamed("please think")[0]]:
        thinking, redacted, text = answer.content
        same((thinking.type, thinking.thinking), ("thinking", "Let me think about äöü."))
        same(thinking.signature, "c2lnbmF0dXJl")
        same((redacted.type, redacted.data), ("redacted_thinking", "c2VjcmV0"))
        same(text.text, THOUGHT)
        usage = answer.usage
        same((usage.cache_read_input_tokens, usage.cache_creation_input_tokens), (5, 3))
    for answer in [ask("please call"), streamed("please call")[0]]:
        text, first, second = answer.content
        same((first.id, first.name, first.input), ("call_1", "read", ARGUMENTS))
        same((second.id, second.name, second.input), ("call_2", "list", {}))
        same(answer.stop_reason, "tool_use")
    same(streamed("please cut")[0].content[0].text, CUT)
    same(streamed("please disturb")[0].content[0].text, "Still readable.")
    same(streamed("please be short")[0].stop_reason, "max_tokens")
    refused = streamed("please refuse")[0]
    same((refused.stop_reason, refused.stop_details.explanation), ("refusal", "I will not."))
    error = fails(anthropic.RateLimitError, lambda: ask("please limit"), status_code=429)
    same((error.response.headers["retry-after"], error.body["error"]["type"]), ("7", "rate_limit_error"))
    fails(anthropic.InternalServerError, lambda: ask("please overload"), status_code=529)
    error = fails(anthropic.BadRequestError, lambda: ask("please overflow"))
    assert "prompt is too long" in str(error)
    fails(anthropic.APIStatusError, lambda: streamed("please break"))
    same([model.id for model in client.models.list()], [MODEL])
    assert client.messages.count_tokens(model=MODEL, messages=[{"role": "user", "content": "hi"}]).input_tokens > 0
    wrong = anthropic.Anthropic(api_key="wrong", base_url=URL, max_retries=0)
    messages = [{"role": "user", "content": "hi"}]
    fails(anthropic.AuthenticationError, lambda: wrong.messages.create(model=MODEL, max_tokens=1, messages=messages))


def check_responses():
    client = openai.OpenAI(api_key="key", base_url=URL + "/v1", max_retries=0)

    def ask(prompt):
        return client.responses.create(model=MODEL, input=prompt)

    def streamed(prompt):
        with client.responses.stream(model=MODEL, input=prompt) as stream:
            for event in stream:
                # The library builds events it does not know without complaint; a known type has a class.
                assert type(event).__name__ != "BaseModel", event
            return stream.get_final_response()

    for answer in [ask("hi"), streamed("hi")]:
        same((answer.output_text, answer.status), (HELLO, "completed"))
        same((answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.total_tokens), (11, 7, 18))
    for answer in [ask("please think"), streamed("please think")]:
        reasoning, secret, message = answer.output
        same((reasoning.type, reasoning.summary[0].text), ("reasoning", "Let me think about äöü."))
        same((reasoning.encrypted_content, secret.encrypted_content), ("c2lnbmF0dXJl", "c2VjcmV0"))
        same(message.content[0].text, THOUGHT)
        same(answer.usage.input_tokens_details.cached_tokens, 5)
        same(answer.usage.output_tokens_details.reasoning_tokens, 8)
    for answer in [ask("please call"), streamed("please call")]:
        text, first, second = answer.output
        same((first.type, first.call_id, first.name), ("function_call", "call_1", "read"))
        assert first.id.startswith("fc_"), first.id
        same(json.loads(first.arguments), ARGUMENTS)
        same(second.arguments, "{}")
    same(streamed("please cut").output_text, CUT)
    same(streamed("please disturb").output_text, "Still readable.")
    short = ask("please be short")
    same((short.status, short.incomplete_details.reason), ("incomplete", "max_output_tokens"))
    same(ask("please refuse").output[0].content[0].refusal, "I will not.")
    same(streamed("please refuse").output[0].content[0].refusal, "I will not.")
    error = fails(openai.RateLimitError, lambda: ask("please limit"), code="rate_limit_exceeded")
    same(error.response.headers["retry-after"], "7")
    fails(openai.InternalServerError, lambda: ask("please overload"), status_code=503)
    fails(openai.BadRequestError, lambda: ask("please overflow"), code="context_length_exceeded")
    events = list(client.responses.create(model=MODEL, input="please break", stream=True))
    same(events[-1].type, "error")
    same([model.id for model in client.models.list()], [MODEL])
    wrong = openai.OpenAI(api_key="wrong", base_url=URL + "/v1", max_retries=0)
    fails(openai.AuthenticationError, lambda: wrong.responses.create(model=MODEL, input="hi"), code="invalid_api_key")


def check_chat():
    client = openai.OpenAI(api_key="key", base_url=URL + "/v1", max_retries=0)

    def ask(prompt, client=client):
        return client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": prompt}])

    def streamed(prompt, client=client):
        messages = [{"role": "user", "content": prompt}]
        options = {"include_usage": True}
        with client.chat.completions.stream(model=MODEL, messages=messages, stream_options=options) as stream:
            for _ in stream:
                pass
            return stream.get_final_completion()

    for answer in [ask("hi"), streamed("hi")]:
        same(answer.choices[0].message.content, HELLO)
        same(answer.choices[0].finish_reason, "stop")
        same((answer.usage.prompt_tokens, answer.usage.completion_tokens), (11, 7))
    for answer in [ask("please call"), streamed("please call")]:
        first, second = answer.choices[0].message.tool_calls
        same((first.id, first.function.name), ("call_1", "read"))
        same(json.loads(first.function.arguments), ARGUMENTS)
        same(second.function.arguments, "{}")
        same(answer.choices[0].finish_reason, "tool_calls")
    same(streamed("please cut").choices[0].message.content, CUT)
    same(streamed("please disturb").choices[0].message.content, "Still readable.")
    same(ask("please be short").choices[0].finish_reason, "length")
    same(ask("please refuse").choices[0].message.refusal, "I will not.")
    same(streamed("please refuse").choices[0].message.refusal, "I will not.")
    fails(openai.RateLimitError, lambda: ask("please limit"), code="rate_limit_exceeded")
    fails(openai.InternalServerError, lambda: ask("please overload"), status_code=503)
    fails(openai.BadRequestError, lambda: ask("please overflow"), code="context_length_exceeded")
    fails(openai.APIError, lambda: streamed("please break"))

    router = openai.OpenAI(api_key="key", base_url=URL + "/api/v1", max_retries=0)
    message = ask("please think", router).choices[0].message
    same(message.reasoning, "Let me think about äöü.")
    text, secret = message.reasoning_details
    same((text["type"], text["signature"]), ("reasoning.text", "c2lnbmF0dXJl"))
    same((secret["type"], secret["data"]), ("reasoning.encrypted", "c2VjcmV0"))
    pieces = router.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "please think"}], stream=True)
    deltas = [piece.choices[0].delta for piece in pieces if piece.choices]
    same("".join(getattr(delta, "reasoning", None) or "" for delta in deltas), "Let me think about äöü.")

    deepseek = openai.OpenAI(api_key="key", base_url=URL, max_retries=0)
    same(ask("please think", deepseek).choices[0].message.reasoning_content, "Let me think about äöü.")


def check_google():
    options = google_types.HttpOptions(base_url=URL, retry_options=google_types.HttpRetryOptions(attempts=1))
    client = genai.Client(api_key="key", http_options=options)

    def ask(prompt):
        return client.models.generate_content(model=MODEL, contents=prompt)

    def streamed(prompt):
        return list(client.models.generate_content_stream(model=MODEL, contents=prompt))

    def parts(chunks):
        return [part for chunk in chunks for part in chunk.candidates[0].content.parts or []]

    same(ask("hi").text, HELLO)
    chunks = streamed("hi")
    same("".join(part.text for part in parts(chunks)), HELLO)
    same(chunks[-1].candidates[0].finish_reason.value, "STOP")
    usage = chunks[-1].usage_metadata
    same((usage.prompt_token_count, usage.candidates_token_count, usage.total_token_count), (11, 7, 18))
    for chunks in [[ask("please think")], streamed("please think")]:
        found = parts(chunks)
        same("".join(part.text for part in found if part.thought), "Let me think about äöü.")
        same("".join(part.text for part in found if not part.thought), THOUGHT)
        assert b"signature" in [part.thought_signature for part in found], found
        same(chunks[-1].usage_metadata.thoughts_token_count, 8)
        same(chunks[-1].usage_metadata.cached_content_token_count, 5)
    for chunks in [[ask("please call")], streamed("please call")]:
        first, second = [part.function_call for part in parts(chunks) if part.function_call]
        same((first.id, first.name, first.args), ("call_1", "read", ARGUMENTS))
        same((second.id, second.name, second.args), ("call_2", "list", {}))
    same("".join(part.text for part in parts(streamed("please cut"))), CUT)
    # No comments here: this library takes them for JSON.
    same(ask("please be short").candidates[0].finish_reason.value, "MAX_TOKENS")
    same(ask("please refuse").candidates[0].finish_reason.value, "SAFETY")
    fails(google_errors.ClientError, lambda: ask("please limit"), code=429, status="RESOURCE_EXHAUSTED")
    fails(google_errors.ServerError, lambda: ask("please overload"), code=503, status="UNAVAILABLE")
    error = fails(google_errors.ClientError, lambda: ask("please overflow"), code=400)
    assert "exceeds the maximum number of tokens" in error.message
    fails(google_errors.APIError, lambda: streamed("please break"))
    same([model.name for model in client.models.list()], ["models/" + MODEL])
    assert client.models.count_tokens(model=MODEL, contents="hi").total_tokens > 0
    wrong = genai.Client(api_key="wrong", http_options=options)
    error = fails(google_errors.ClientError, lambda: wrong.models.generate_content(model=MODEL, contents="hi"))
    assert "API key not valid" in error.message


def check_ollama():
    client = ollama.Client(host=URL)

    def ask(prompt):
        return client.chat(model=MODEL, messages=[{"role": "user", "content": prompt}])

    def streamed(prompt):
        return list(client.chat(model=MODEL, messages=[{"role": "user", "content": prompt}], stream=True))

    same(ask("hi").message.content, HELLO)
    lines = streamed("hi")
    same("".join(line.message.content for line in lines), HELLO)
    last = lines[-1]
    same((last.done, last.done_reason, last.prompt_eval_count, last.eval_count), (True, "stop", 11, 7))
    for lines in [[ask("please think")], streamed("please think")]:
        same("".join(line.message.thinking or "" for line in lines), "Let me think about äöü.")
        same("".join(line.message.content for line in lines), THOUGHT)
    for lines in [[ask("please call")], streamed("please call")]:
        first, second = [call for line in lines for call in line.message.tool_calls or []]
        same((first.function.name, first.function.arguments), ("read", ARGUMENTS))
        same((second.function.name, second.function.arguments), ("list", {}))
    same("".join(line.message.content for line in streamed("please cut")), CUT)
    same(ask("please be short").done_reason, "length")
    fails(ollama.ResponseError, lambda: ask("please overload"), status_code=503)
    error = fails(ollama.ResponseError, lambda: ask("please overflow"), status_code=400)
    assert "context length" in error.error
    fails(ollama.ResponseError, lambda: streamed("please break"))
    same([model.model for model in client.list().models], [MODEL])
    assert "tools" in client.show(MODEL).capabilities


for check in [check_anthropic, check_responses, check_chat, check_google, check_ollama]:
    check()
    print(f"{check.__name__}: fine")
