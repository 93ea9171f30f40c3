// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_CHAT_H
#define VERNIER_RENDERERS_CHAT_H

#include "renderers/renderer.h"

// A message for a chat: the verdict, at most three sentences about it, where the report is. Five
// lines and fewer than CHAT_BYTES bytes, without tables and pictures. As text, and as the body that
// the web hook of a chat service takes; sources: Slack "Sending messages using incoming webhooks",
// DingTalk "Custom robot access", Feishu "Use bots in groups", WeCom "Group robot configuration".
enum { CHAT_BYTES = 2000 };

extern const Renderer chat_renderer, slack_renderer, dingtalk_renderer, feishu_renderer,
    wecom_renderer;

#endif
