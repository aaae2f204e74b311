"""Providers: one file each, behind one protocol."""

from probe.providers.base import Answered, Provider, Reply, Request, Served
from probe.providers.local import Local
from probe.providers.openai_chat import OpenAIChat

__all__ = ["Answered", "Local", "OpenAIChat", "Provider", "Reply", "Request", "Served"]
