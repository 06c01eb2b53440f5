// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "app/shell/basics/actions.h"

namespace divisi::shell {

/// Shows every key of the console in one table. Opened by `?`.
class KeyList : public QDialog {
    Q_OBJECT
public:
    KeyList(const Actions& actions, QWidget* parent);
};

}  // namespace divisi::shell
