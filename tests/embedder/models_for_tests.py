"""Small models of the real architectures, with random weights, made on the spot.

Their tokenizers are trained on a few invented sentences, with so few pieces that most words are
made of several.
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from pathlib import Path

import torch
from tokenizers import (
    Regex,
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    BertConfig,
    BertModel,
    BertTokenizer,
    MistralConfig,
    MistralModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5EncoderModel,
)

SENTENCES = [
    "The miller's daughter walked to the harbour, and he walked home again.",
    "“Stay!” cried the captain; she laughed, blushed, and walked on.",
    "An unhappy man is happier than he was: unhappiness passes, happily.",
    "Nobody had ever seen the naïve clerk at the café before the thaw.",
]


def tokenizer_of_t5() -> Tokenizer:
    """Unigram over words that begin with a mark for the space, an end token after the text."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.UnigramTrainer(
        vocab_size=150,
        initial_alphabet=list(string.ascii_letters + string.punctuation + "“”ïé😀𐍈"),
        special_tokens=["<pad>", "</s>", "<unk>"],
        unk_token="<unk>",  # noqa: S106 - a piece, not a secret
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES * 20, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


def make_t5(folder: Path, *, layers: int = 2) -> Path:
    """A T5 encoder of 32 numbers a token."""
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    fast: Callable[..., PreTrainedTokenizerFast] = PreTrainedTokenizerFast
    fast(tokenizer_object=tokenizer_of_t5(), **special).save_pretrained(folder)
    torch.manual_seed(1)
    config = T5Config(
        vocab_size=192, d_model=32, d_kv=8, d_ff=64, num_layers=layers, num_heads=4, pad_token_id=0
    )
    model = T5EncoderModel(config)
    _spread(model)
    model.save_pretrained(folder)
    return folder


def make_bert(
    folder: Path, *, pooling: str = "mean", normalised: bool = True, max_tokens: int = 24
) -> Path:
    """A sentence-transformers folder, laid out as the published ones are, around a small BERT."""
    words = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - a piece
    words.normalizer = normalizers.BertNormalizer()
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=150, special_tokens=special, show_progress=False)
    words.train_from_iterator(SENTENCES * 20, trainer)
    folder.mkdir(parents=True, exist_ok=True)
    vocab = words.get_vocab()
    (folder / "vocab.txt").write_text("\n".join(sorted(vocab, key=vocab.__getitem__)) + "\n")
    BertTokenizer(vocab=vocab, do_lower_case=True, model_max_length=64).save_pretrained(folder)
    torch.manual_seed(2)
    model = BertModel(
        BertConfig(
            vocab_size=len(vocab),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=64,
        )
    )
    _spread(model)
    model.save_pretrained(folder)
    kinds = ["Transformer", "Pooling", *(["Normalize"] if normalised else [])]
    paths = ["", "1_Pooling", "2_Normalize"]
    modules = [
        {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for n, (kind, path) in enumerate(zip(kinds, paths, strict=False))
    ]
    pooling_key = {"mean": "mean_tokens", "cls": "cls_token", "lasttoken": "lasttoken"}[pooling]
    _write(folder / "modules.json", modules)
    _write(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": 32, f"pooling_mode_{pooling_key}": True}
        | ({} if pooling == "mean" else {"pooling_mode_mean_tokens": False}),
    )
    _write(
        folder / "sentence_bert_config.json",
        {"max_seq_length": max_tokens, "do_lower_case": False},
    )
    return folder


def make_nv_embed(folder: Path, *, masks_instruction: bool = True) -> Path:
    """A folder laid out as NV-Embed's: its names, its parts, its config's form; all small."""
    tokenizer = tokenizer_of_t5()
    tokenizer.add_special_tokens(["<s>"])
    begin = tokenizer.token_to_id("<s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", begin)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    _write(folder / "tokenizer_config.json", {"eos_token": "</s>", "add_bos_token": True})
    text = {
        "_name_or_path": "nvidia/NV-Embed-v2",
        "architectures": ["MistralModel"],
        "hidden_act": "silu",
        "hidden_size": 32,
        "intermediate_size": 48,
        "max_position_embeddings": 256,
        "model_type": "bidir_mistral",
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-05,
        "rope_theta": 10000.0,
        "sliding_window": 4,
        "torch_dtype": "float32",
        "vocab_size": 192,
    }
    _write(
        folder / "config.json",
        {
            "architectures": ["NVEmbedModel"],
            "is_mask_instruction": masks_instruction,
            "latent_attention_config": {"model_type": "latent_attention", "num_cross_heads": 2},
            "model_type": "nvembed",
            "text_config": text,
        },
    )
    _save_in_shards(folder, _nv_embed_weights(text))
    return folder


def _nv_embed_weights(text: dict[str, object]) -> dict[str, torch.Tensor]:
    torch.manual_seed(3)
    kept = {key: value for key, value in text.items() if key not in {"model_type", "torch_dtype"}}
    mistral = MistralModel(MistralConfig.from_dict(kept))
    _spread(mistral)
    weights = {f"embedding_model.{name}": each for name, each in mistral.state_dict().items()}
    dim, head, heads, latents = 32, 16, 2, 7
    block = "latent_attention_model.cross_attend_blocks"
    shapes = {
        "latent_attention_model.latents": (latents, dim),
        f"{block}.0.fn.to_q.weight": (heads * head, dim),
        f"{block}.0.fn.to_kv.weight": (2 * heads * head, dim),
        f"{block}.0.fn.to_out.weight": (dim, heads * head),
        f"{block}.0.norm.weight": (dim,),
        f"{block}.0.norm.bias": (dim,),
        f"{block}.0.norm_context.weight": (dim,),
        f"{block}.0.norm_context.bias": (dim,),
        f"{block}.1.fn.net.0.weight": (8 * dim, dim),
        f"{block}.1.fn.net.0.bias": (8 * dim,),
        f"{block}.1.fn.net.2.weight": (dim, 4 * dim),
        f"{block}.1.fn.net.2.bias": (dim,),
        f"{block}.1.norm.weight": (dim,),
        f"{block}.1.norm.bias": (dim,),
    }
    return weights | {name: torch.randn(shape) * 0.4 for name, shape in shapes.items()}


def _save_in_shards(folder: Path, weights: dict[str, torch.Tensor]) -> None:
    from safetensors.torch import save_file  # noqa: PLC0415 - used here alone

    names = sorted(weights)
    half = len(names) // 2
    index: dict[str, str] = {}
    for number, part in enumerate((names[:half], names[half:]), start=1):
        file = f"model-{number:05}-of-00002.safetensors"
        save_file({name: weights[name].contiguous() for name in part}, folder / file)
        index |= dict.fromkeys(part, file)
    _write(folder / "model.safetensors.index.json", {"metadata": {}, "weight_map": index})


def _spread(model: torch.nn.Module) -> None:
    """Wider random weights than at the start of training, so that attention tells texts apart."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                parameter.normal_(0.0, 0.3)
            elif "bias" in name:
                parameter.normal_(0.0, 0.1)


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
